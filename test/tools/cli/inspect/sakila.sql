-- The structure of the Sakila sample database, written down from https://github.com/jOOQ/sakila
-- (mysql-sakila-schema.sql). Licence: BSD, copyright (c) 2006, MySQL AB: see NOTICE.txt.

set foreign_key_checks = 0;

create table actor (
  actor_id int unsigned not null auto_increment,
  first_name varchar(45) not null,
  last_name varchar(45) not null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  primary key (actor_id),
  key idx_actor_last_name (last_name)
);

create table country (
  country_id int unsigned not null auto_increment primary key,
  country varchar(50) not null,
  last_update timestamp not null default current_timestamp on update current_timestamp
);

create table city (
  city_id int unsigned not null auto_increment primary key,
  city varchar(50) not null,
  country_id int unsigned not null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  constraint fk_city_country foreign key (country_id) references country (country_id) on update cascade
);

create table address (
  address_id int unsigned not null auto_increment primary key,
  address varchar(50) not null,
  address2 varchar(50) default null,
  district varchar(20) not null,
  city_id int unsigned not null,
  postal_code varchar(10) default null,
  phone varchar(20) not null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  constraint fk_address_city foreign key (city_id) references city (city_id) on update cascade
);

create table category (
  category_id int unsigned not null auto_increment primary key,
  name varchar(25) not null,
  last_update timestamp not null default current_timestamp on update current_timestamp
);

create table language (
  language_id int unsigned not null auto_increment primary key,
  name char(20) not null,
  last_update timestamp not null default current_timestamp on update current_timestamp
);

create table customer (
  customer_id int unsigned not null auto_increment primary key,
  store_id int unsigned not null,
  first_name varchar(45) not null,
  last_name varchar(45) not null,
  email varchar(50) default null,
  address_id int unsigned not null,
  active boolean not null default true,
  create_date datetime not null,
  last_update timestamp default current_timestamp on update current_timestamp,
  key idx_last_name (last_name),
  constraint fk_customer_address foreign key (address_id) references address (address_id) on update cascade,
  constraint fk_customer_store foreign key (store_id) references store (store_id) on update cascade
);

create table film (
  film_id int unsigned not null auto_increment primary key,
  title varchar(255) not null,
  description text default null,
  release_year year default null,
  language_id int unsigned not null,
  original_language_id int unsigned default null,
  rental_duration tinyint unsigned not null default 3,
  rental_rate decimal(4,2) not null default 4.99,
  length smallint unsigned default null,
  replacement_cost decimal(5,2) not null default 19.99,
  rating enum('G','PG','PG-13','R','NC-17') default 'G',
  special_features set('Trailers','Commentaries','Deleted Scenes','Behind the Scenes') default null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  key idx_title (title),
  constraint fk_film_language foreign key (language_id) references language (language_id) on update cascade,
  constraint fk_film_language_original foreign key (original_language_id) references language (language_id)
);

create table film_actor (
  actor_id int unsigned not null,
  film_id int unsigned not null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  primary key (actor_id, film_id),
  constraint fk_film_actor_actor foreign key (actor_id) references actor (actor_id) on update cascade,
  constraint fk_film_actor_film foreign key (film_id) references film (film_id) on update cascade
);

create table film_category (
  film_id int unsigned not null,
  category_id int unsigned not null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  primary key (film_id, category_id),
  constraint fk_film_category_film foreign key (film_id) references film (film_id) on update cascade,
  constraint fk_film_category_category foreign key (category_id) references category (category_id)
);

create table film_text (
  film_id int not null primary key,
  title varchar(255) not null,
  description text,
  fulltext key idx_title_description (title, description)
);

create trigger del_film after delete on film for each row delete from film_text where film_id = old.film_id;

create table inventory (
  inventory_id int unsigned not null auto_increment primary key,
  film_id int unsigned not null,
  store_id int unsigned not null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  key idx_store_id_film_id (store_id, film_id),
  constraint fk_inventory_store foreign key (store_id) references store (store_id) on update cascade,
  constraint fk_inventory_film foreign key (film_id) references film (film_id) on update cascade
);

create table payment (
  payment_id int unsigned not null auto_increment primary key,
  customer_id int unsigned not null,
  staff_id int unsigned not null,
  rental_id int default null,
  amount decimal(5,2) not null,
  payment_date datetime not null,
  last_update timestamp default current_timestamp on update current_timestamp,
  constraint fk_payment_rental foreign key (rental_id) references rental (rental_id) on delete set null,
  constraint fk_payment_customer foreign key (customer_id) references customer (customer_id),
  constraint fk_payment_staff foreign key (staff_id) references staff (staff_id) on update cascade
);

create table rental (
  rental_id int not null auto_increment primary key,
  rental_date datetime not null,
  inventory_id int unsigned not null,
  customer_id int unsigned not null,
  return_date datetime default null,
  staff_id int unsigned not null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  unique key (rental_date, inventory_id, customer_id),
  constraint fk_rental_staff foreign key (staff_id) references staff (staff_id) on update cascade,
  constraint fk_rental_inventory foreign key (inventory_id) references inventory (inventory_id),
  constraint fk_rental_customer foreign key (customer_id) references customer (customer_id)
);

create table staff (
  staff_id int unsigned not null auto_increment primary key,
  first_name varchar(45) not null,
  last_name varchar(45) not null,
  address_id int unsigned not null,
  picture mediumblob default null,
  email varchar(50) default null,
  store_id int unsigned not null,
  active boolean not null default true,
  username varchar(16) not null,
  password varchar(40) binary default null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  constraint fk_staff_store foreign key (store_id) references store (store_id) on update cascade,
  constraint fk_staff_address foreign key (address_id) references address (address_id) on update cascade
);

create table store (
  store_id int unsigned not null auto_increment primary key,
  manager_staff_id int unsigned not null,
  address_id int unsigned not null,
  last_update timestamp not null default current_timestamp on update current_timestamp,
  unique key idx_unique_manager (manager_staff_id),
  constraint fk_store_staff foreign key (manager_staff_id) references staff (staff_id) on update cascade,
  constraint fk_store_address foreign key (address_id) references address (address_id) on update cascade
);

create view staff_list as
select s.staff_id as ID, s.first_name as name, a.address as address, a.postal_code as `zip code`, s.store_id as SID
from staff as s join address as a on s.address_id = a.address_id;

set foreign_key_checks = 1;

