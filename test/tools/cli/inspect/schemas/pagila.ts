import {
  boolean,
  char,
  date,
  integer,
  numeric,
  pgEnum,
  pgTable,
  serial,
  smallint,
  text,
  timestamp,
  varchar,
} from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm'

export const mpaaRating = pgEnum('mpaa_rating', ['G', 'PG', 'PG-13', 'R', 'NC-17'])

export const country = pgTable('country', {
  countryId: serial().primaryKey().notNull(),
  country: varchar({ length: 50 }).notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const city = pgTable('city', {
  cityId: serial().primaryKey().notNull(),
  city: varchar({ length: 50 }).notNull(),
  countryId: integer().notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const address = pgTable('address', {
  addressId: serial().primaryKey().notNull(),
  address: varchar({ length: 50 }).notNull(),
  address2: varchar({ length: 50 }),
  district: varchar({ length: 20 }).notNull(),
  cityId: integer().notNull(),
  postalCode: varchar({ length: 10 }),
  phone: varchar({ length: 20 }).notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const language = pgTable('language', {
  languageId: serial().primaryKey().notNull(),
  name: char({ length: 20 }).notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const film = pgTable('film', {
  filmId: serial().primaryKey().notNull(),
  title: varchar({ length: 255 }).notNull(),
  description: text(),
  languageId: smallint().notNull(),
  originalLanguageId: smallint(),
  rentalDuration: smallint().default(3).notNull(),
  rentalRate: numeric({ precision: 4, scale: 2 }).default('4.99').notNull(),
  length: smallint(),
  replacementCost: numeric({ precision: 5, scale: 2 }).default('19.99').notNull(),
  releaseYear: integer(),
  rating: mpaaRating().default('G'),
  lastUpdate: timestamp().defaultNow().notNull(),
  specialFeatures: text().array(),
})

export const actor = pgTable('actor', {
  actorId: integer()
    .default(sql`nextval('actor_actor_id_seq'::regclass)`)
    .primaryKey()
    .notNull(),
  firstName: varchar({ length: 45 }).notNull(),
  lastName: varchar({ length: 45 }).notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const category = pgTable('category', {
  categoryId: serial().primaryKey().notNull(),
  name: varchar({ length: 25 }).notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const store = pgTable('store', {
  storeId: serial().primaryKey().notNull(),
  managerStaffId: integer().notNull(),
  addressId: integer().notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const staff = pgTable('staff', {
  staffId: serial().primaryKey().notNull(),
  firstName: varchar({ length: 45 }).notNull(),
  lastName: varchar({ length: 45 }).notNull(),
  addressId: integer().notNull(),
  email: varchar({ length: 50 }),
  storeId: integer().notNull(),
  active: boolean().default(true).notNull(),
  username: varchar({ length: 16 }).notNull(),
  password: varchar({ length: 40 }),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const customer = pgTable('customer', {
  customerId: integer()
    .default(sql`nextval('customer_customer_id_seq'::regclass)`)
    .primaryKey()
    .notNull(),
  storeId: integer().notNull(),
  firstName: varchar({ length: 45 }).notNull(),
  lastName: varchar({ length: 45 }).notNull(),
  email: varchar({ length: 50 }),
  addressId: integer().notNull(),
  activebool: boolean().default(true).notNull(),
  createDate: date()
    .default(sql`now()`)
    .notNull(),
  lastUpdate: timestamp().defaultNow(),
  active: integer(),
})

export const inventory = pgTable('inventory', {
  inventoryId: serial().primaryKey().notNull(),
  filmId: integer().notNull(),
  storeId: integer().notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const rental = pgTable('rental', {
  rentalId: serial().primaryKey().notNull(),
  rentalDate: timestamp().notNull(),
  inventoryId: integer().notNull(),
  customerId: integer().notNull(),
  returnDate: timestamp(),
  staffId: integer().notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const filmActor = pgTable('film_actor', {
  actorId: integer().notNull(),
  filmId: integer().notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const filmCategory = pgTable('film_category', {
  filmId: integer().notNull(),
  categoryId: integer().notNull(),
  lastUpdate: timestamp().defaultNow().notNull(),
})

export const payment = pgTable('payment', {
  paymentId: integer()
    .default(sql`nextval('payment_payment_id_seq'::regclass)`)
    .notNull(),
  customerId: integer().notNull(),
  staffId: integer().notNull(),
  rentalId: integer().notNull(),
  amount: numeric({ precision: 5, scale: 2 }).notNull(),
  paymentDate: timestamp({ withTimezone: true }).notNull(),
})
