-- The structure of the Pagila sample database, written down from https://github.com/devrimgunduz/pagila
-- (pagila-schema.sql). Licence: the PostgreSQL License, copyright (c) 2015-2026, Devrim Gündüz: see NOTICE.txt.

create type mpaa_rating as enum ('G', 'PG', 'PG-13', 'R', 'NC-17');

create domain year as integer constraint year_check check (value >= 1901 and value <= 2155);

create function last_updated() returns trigger language plpgsql as $$
begin
  new.last_update = current_timestamp;
  return new;
end $$;

create sequence customer_customer_id_seq;

create sequence actor_actor_id_seq;

create sequence payment_payment_id_seq;

create table actor (
  actor_id integer default nextval('actor_actor_id_seq'::regclass) not null primary key,
  first_name character varying(45) not null,
  last_name character varying(45) not null,
  last_update timestamp without time zone default now() not null
);

create table category (
  category_id serial primary key,
  name character varying(25) not null,
  last_update timestamp without time zone default now() not null
);

create table country (
  country_id serial primary key,
  country character varying(50) not null,
  last_update timestamp without time zone default now() not null
);

create table city (
  city_id serial primary key,
  city character varying(50) not null,
  country_id integer not null references country (country_id) on update cascade,
  last_update timestamp without time zone default now() not null
);

create table address (
  address_id serial primary key,
  address character varying(50) not null,
  address2 character varying(50),
  district character varying(20) not null,
  city_id integer not null references city (city_id) on update cascade,
  postal_code character varying(10),
  phone character varying(20) not null,
  last_update timestamp without time zone default now() not null
);

create table language (
  language_id serial primary key,
  name character(20) not null,
  last_update timestamp without time zone default now() not null
);

create table film (
  film_id serial primary key,
  title character varying(255) not null,
  description text,
  release_year year,
  language_id smallint not null references language (language_id) on update cascade,
  original_language_id smallint references language (language_id) on update cascade,
  rental_duration smallint default 3 not null,
  rental_rate numeric(4,2) default 4.99 not null,
  length smallint,
  replacement_cost numeric(5,2) default 19.99 not null,
  rating mpaa_rating default 'G'::mpaa_rating,
  last_update timestamp without time zone default now() not null,
  special_features text[],
  fulltext tsvector not null
);

create trigger film_fulltext_trigger before insert or update on film for each row
  execute function tsvector_update_trigger('fulltext', 'pg_catalog.english', 'title', 'description');

create index film_fulltext_idx on film using gist (fulltext);

create table film_actor (
  actor_id integer not null references actor (actor_id) on update cascade,
  film_id integer not null references film (film_id) on update cascade,
  last_update timestamp without time zone default now() not null,
  primary key (actor_id, film_id)
);

create table film_category (
  film_id integer not null references film (film_id) on update cascade,
  category_id integer not null references category (category_id) on update cascade,
  last_update timestamp without time zone default now() not null,
  primary key (film_id, category_id)
);

create table store (
  store_id serial primary key,
  manager_staff_id integer not null,
  address_id integer not null references address (address_id) on update cascade,
  last_update timestamp without time zone default now() not null
);

create unique index idx_unq_manager_staff_id on store (manager_staff_id);

create table staff (
  staff_id serial primary key,
  first_name character varying(45) not null,
  last_name character varying(45) not null,
  address_id integer not null references address (address_id) on update cascade,
  email character varying(50),
  store_id integer not null references store (store_id),
  active boolean default true not null,
  username character varying(16) not null,
  password character varying(40),
  last_update timestamp without time zone default now() not null,
  picture bytea
);

alter table store add constraint store_manager_staff_id_fkey foreign key (manager_staff_id) references staff (staff_id);

create table customer (
  customer_id integer default nextval('customer_customer_id_seq'::regclass) not null primary key,
  store_id integer not null references store (store_id) on update cascade,
  first_name character varying(45) not null,
  last_name character varying(45) not null,
  email character varying(50),
  address_id integer not null references address (address_id) on update cascade,
  activebool boolean default true not null,
  create_date date default ('now'::text)::date not null,
  last_update timestamp without time zone default now(),
  active integer
);

create table inventory (
  inventory_id serial primary key,
  film_id integer not null references film (film_id) on update cascade,
  store_id integer not null references store (store_id) on update cascade,
  last_update timestamp without time zone default now() not null
);

create table rental (
  rental_id serial primary key,
  rental_date timestamp without time zone not null,
  inventory_id integer not null references inventory (inventory_id) on update cascade,
  customer_id integer not null references customer (customer_id) on update cascade,
  return_date timestamp without time zone,
  staff_id integer not null references staff (staff_id) on update cascade,
  last_update timestamp without time zone default now() not null
);

create unique index idx_unq_rental on rental (rental_date, inventory_id, customer_id);

create table payment (
  payment_id integer default nextval('payment_payment_id_seq'::regclass) not null,
  customer_id integer not null references customer (customer_id),
  staff_id integer not null references staff (staff_id),
  rental_id integer not null references rental (rental_id),
  amount numeric(5,2) not null,
  payment_date timestamp with time zone not null,
  primary key (payment_date, payment_id)
) partition by range (payment_date);

create table payment_p2022_01 partition of payment for values from ('2022-01-01') to ('2022-02-01');

create table payment_p2022_02 partition of payment for values from ('2022-02-01') to ('2022-03-01');

create view actor_info as select actor_id, first_name, last_name from actor;

create materialized view rental_by_category as select name from category;

create trigger last_updated before update on actor for each row execute function last_updated();

