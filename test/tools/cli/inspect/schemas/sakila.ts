import {
  boolean,
  char,
  datetime,
  decimal,
  int,
  mysqlEnum,
  mysqlTable,
  smallint,
  text,
  timestamp,
  tinyint,
  varchar,
  year,
} from 'drizzle-orm/mysql-core'

export const actor = mysqlTable('actor', {
  actorId: int('actor_id').autoincrement().notNull(),
  firstName: varchar('first_name', { length: 45 }).notNull(),
  lastName: varchar('last_name', { length: 45 }).notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const address = mysqlTable('address', {
  addressId: int('address_id').autoincrement().notNull(),
  address: varchar({ length: 50 }).notNull(),
  address2: varchar({ length: 50 }),
  district: varchar({ length: 20 }).notNull(),
  cityId: int('city_id').notNull(),
  postalCode: varchar('postal_code', { length: 10 }),
  phone: varchar({ length: 20 }).notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const category = mysqlTable('category', {
  categoryId: int('category_id').autoincrement().notNull(),
  name: varchar({ length: 25 }).notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const city = mysqlTable('city', {
  cityId: int('city_id').autoincrement().notNull(),
  city: varchar({ length: 50 }).notNull(),
  countryId: int('country_id').notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const country = mysqlTable('country', {
  countryId: int('country_id').autoincrement().notNull(),
  country: varchar({ length: 50 }).notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const customer = mysqlTable('customer', {
  customerId: int('customer_id').autoincrement().notNull(),
  storeId: int('store_id').notNull(),
  firstName: varchar('first_name', { length: 45 }).notNull(),
  lastName: varchar('last_name', { length: 45 }).notNull(),
  email: varchar({ length: 50 }),
  addressId: int('address_id').notNull(),
  active: boolean().default(true).notNull(),
  createDate: datetime('create_date', { mode: 'string' }).notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow(),
})

export const film = mysqlTable('film', {
  filmId: int('film_id').autoincrement().notNull(),
  title: varchar({ length: 255 }).notNull(),
  description: text(),
  releaseYear: year('release_year'),
  languageId: int('language_id').notNull(),
  originalLanguageId: int('original_language_id'),
  rentalDuration: tinyint('rental_duration').default(3).notNull(),
  rentalRate: decimal('rental_rate', { precision: 4, scale: 2 }).default('4.99').notNull(),
  length: smallint(),
  replacementCost: decimal('replacement_cost', { precision: 5, scale: 2 })
    .default('19.99')
    .notNull(),
  rating: mysqlEnum(['G', 'PG', 'PG-13', 'R', 'NC-17']).default('G'),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const filmActor = mysqlTable('film_actor', {
  actorId: int('actor_id').notNull(),
  filmId: int('film_id').notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const filmCategory = mysqlTable('film_category', {
  filmId: int('film_id').notNull(),
  categoryId: int('category_id').notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const filmText = mysqlTable('film_text', {
  filmId: int('film_id').notNull(),
  title: varchar({ length: 255 }).notNull(),
  description: text(),
})

export const inventory = mysqlTable('inventory', {
  inventoryId: int('inventory_id').autoincrement().notNull(),
  filmId: int('film_id').notNull(),
  storeId: int('store_id').notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const language = mysqlTable('language', {
  languageId: int('language_id').autoincrement().notNull(),
  name: char({ length: 20 }).notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const payment = mysqlTable('payment', {
  paymentId: int('payment_id').autoincrement().notNull(),
  customerId: int('customer_id').notNull(),
  staffId: int('staff_id').notNull(),
  rentalId: int('rental_id'),
  amount: decimal({ precision: 5, scale: 2 }).notNull(),
  paymentDate: datetime('payment_date', { mode: 'string' }).notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow(),
})

export const rental = mysqlTable('rental', {
  rentalId: int('rental_id').autoincrement().notNull(),
  rentalDate: datetime('rental_date', { mode: 'string' }).notNull(),
  inventoryId: int('inventory_id').notNull(),
  customerId: int('customer_id').notNull(),
  returnDate: datetime('return_date', { mode: 'string' }),
  staffId: int('staff_id').notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const staff = mysqlTable('staff', {
  staffId: int('staff_id').autoincrement().notNull(),
  firstName: varchar('first_name', { length: 45 }).notNull(),
  lastName: varchar('last_name', { length: 45 }).notNull(),
  addressId: int('address_id').notNull(),
  email: varchar({ length: 50 }),
  storeId: int('store_id').notNull(),
  active: boolean().default(true).notNull(),
  username: varchar({ length: 16 }).notNull(),
  password: varchar({ length: 40 }),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})

export const store = mysqlTable('store', {
  storeId: int('store_id').autoincrement().notNull(),
  managerStaffId: int('manager_staff_id').notNull(),
  addressId: int('address_id').notNull(),
  lastUpdate: timestamp('last_update', { mode: 'string' }).defaultNow().notNull(),
})
