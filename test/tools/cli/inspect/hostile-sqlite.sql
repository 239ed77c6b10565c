-- What nobody would design, and everybody meets: names and types that a program has no word for.

create table "class" (
  "id" integer primary key,
  "default" text not null default '',
  "2fa" boolean not null default 0,
  "user id" text,
  "userId" text,
  "user_id" integer references "class" ("id"),
  "größe" real check ("größe" between 0.5 and 99.5),
  "page" integer not null default 1,
  "constructor" text,
  "__proto__" text,
  "a.b" text,
  "!!!" text,
  "`${process.exit(1)}`" text,
  "'); process.exit(1) //" text
);

create table "2 words; drop" (
  "key" varchar(12) primary key not null check (length("key") >= 2),
  "kind" text not null check ("kind" in ('it''s', 'a "b"', '*/ process.exit(1) /*', '`${1}`', '</script>', 'ü')),
  "price" decimal(8, 2) not null check ("price" > 0 and "price" <= 999.99),
  "level" integer not null check ("level" in (1, 2, 3)),
  "is_on" integer not null default 1 check ("is_on" in (0, 1)),
  "made" datetime not null default current_timestamp,
  "day" date,
  "at" time,
  "double" text as ("kind" || "kind"),
  "guid" uuid,
  "big" bigint not null default 0,
  "website_url" varchar(200),
  "odd" integer check ("odd" % 2 = 1)
);

create table account (
  id integer primary key,
  email text not null,
  password_hash text not null,
  apiToken text,
  "reset token" text,
  token_count integer not null default 0
);

create unique index account_email on account (lower(email));

create table session (token text primary key not null, account integer references account (id));

create table keyless (a integer, b integer);

create table pair (a integer not null, b integer not null, unique (a, b));

create table by_slug (title text, slug varchar(40) not null unique, primary key (title, slug));

create table blobs (id integer primary key, picture blob not null, note);

create table "price" (id integer primary key, amount integer not null, more json);

create table price_tag (id integer primary key, price_id bigint not null references "price" (id));

create table "price_list" (id integer primary key, "price" integer not null references "price" (id));

create table child (
  id integer primary key,
  x integer not null,
  y integer not null,
  foreign key (x, y) references pair (a, b)
);

-- Keys that are not the number of the row do not count up.
create table downwards (id integer primary key desc, name text);

create table rowless (id integer primary key, name text) without rowid;

-- The program has these names for other things.
create table "database" (id integer primary key);

create table db (id integer primary key);

create table drizzle (id integer primary key);

create table drizzle_source (id integer primary key);

create table drizzle_table (id integer primary key);

create table field (id integer primary key, name text not null unique, a integer, b integer, unique (a, b));

create table open_database (id integer primary key);

create table schema (id integer primary key);

create table serializer (id integer primary key);

create table sql_source (a integer not null, b integer not null, primary key (a, b));

create table sql_table (id integer primary key);

create table stores (id integer primary key);

create table tables (id integer primary key);

create table "unique" (id integer primary key);

create table unique_together (id integer primary key);

create view all_prices as select * from "price";

create virtual table words using fts5 (text);

create trigger account_made after insert on account begin update account set token_count = 1; end;

