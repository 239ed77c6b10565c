import { integer, numeric, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const artist = sqliteTable('Artist', {
  artistId: integer('ArtistId').primaryKey().notNull(),
  name: text('Name', { length: 120 }),
})

export const album = sqliteTable('Album', {
  albumId: integer('AlbumId').primaryKey().notNull(),
  title: text('Title', { length: 160 }).notNull(),
  artistId: integer('ArtistId').notNull(),
})

export const employee = sqliteTable('Employee', {
  employeeId: integer('EmployeeId').primaryKey().notNull(),
  lastName: text('LastName', { length: 20 }).notNull(),
  firstName: text('FirstName', { length: 20 }).notNull(),
  title: text('Title', { length: 30 }),
  reportsTo: integer('ReportsTo'),
  birthDate: numeric('BirthDate'),
  hireDate: numeric('HireDate'),
  address: text('Address', { length: 70 }),
  city: text('City', { length: 40 }),
  state: text('State', { length: 40 }),
  country: text('Country', { length: 40 }),
  postalCode: text('PostalCode', { length: 10 }),
  phone: text('Phone', { length: 24 }),
  fax: text('Fax', { length: 24 }),
  email: text('Email', { length: 60 }),
})

export const customer = sqliteTable('Customer', {
  customerId: integer('CustomerId').primaryKey().notNull(),
  firstName: text('FirstName', { length: 40 }).notNull(),
  lastName: text('LastName', { length: 20 }).notNull(),
  company: text('Company', { length: 80 }),
  address: text('Address', { length: 70 }),
  city: text('City', { length: 40 }),
  state: text('State', { length: 40 }),
  country: text('Country', { length: 40 }),
  postalCode: text('PostalCode', { length: 10 }),
  phone: text('Phone', { length: 24 }),
  fax: text('Fax', { length: 24 }),
  email: text('Email', { length: 60 }).notNull(),
  supportRepId: integer('SupportRepId'),
})

export const genre = sqliteTable('Genre', {
  genreId: integer('GenreId').primaryKey().notNull(),
  name: text('Name', { length: 120 }),
})

export const mediaType = sqliteTable('MediaType', {
  mediaTypeId: integer('MediaTypeId').primaryKey().notNull(),
  name: text('Name', { length: 120 }),
})

export const track = sqliteTable('Track', {
  trackId: integer('TrackId').primaryKey().notNull(),
  name: text('Name', { length: 200 }).notNull(),
  albumId: integer('AlbumId'),
  mediaTypeId: integer('MediaTypeId').notNull(),
  genreId: integer('GenreId'),
  composer: text('Composer', { length: 220 }),
  milliseconds: integer('Milliseconds').notNull(),
  bytes: integer('Bytes'),
  unitPrice: numeric('UnitPrice').notNull(),
})

export const invoice = sqliteTable('Invoice', {
  invoiceId: integer('InvoiceId').primaryKey().notNull(),
  customerId: integer('CustomerId').notNull(),
  invoiceDate: numeric('InvoiceDate').notNull(),
  billingAddress: text('BillingAddress', { length: 70 }),
  billingCity: text('BillingCity', { length: 40 }),
  billingState: text('BillingState', { length: 40 }),
  billingCountry: text('BillingCountry', { length: 40 }),
  billingPostalCode: text('BillingPostalCode', { length: 10 }),
  total: numeric('Total').notNull(),
})

export const invoiceLine = sqliteTable('InvoiceLine', {
  invoiceLineId: integer('InvoiceLineId').primaryKey().notNull(),
  invoiceId: integer('InvoiceId').notNull(),
  trackId: integer('TrackId').notNull(),
  unitPrice: numeric('UnitPrice').notNull(),
  quantity: integer('Quantity').notNull(),
})

export const playlist = sqliteTable('Playlist', {
  playlistId: integer('PlaylistId').primaryKey().notNull(),
  name: text('Name', { length: 120 }),
})

export const playlistTrack = sqliteTable('PlaylistTrack', {
  playlistId: integer('PlaylistId').notNull(),
  trackId: integer('TrackId').notNull(),
})
