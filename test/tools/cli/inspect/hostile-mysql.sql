-- What a program has no word for, and the types of MariaDB that fields have no form for.

create table `select` (
  `id` bigint unsigned not null auto_increment primary key,
  `tiny` tinyint not null,
  `small` smallint unsigned not null default 0,
  `on` bit(1) not null default b'0',
  `kind` enum('it''s', 'a "b"', '*/ process.exit(1) /*', '`${1}`', 'ü', '') not null default 'ü',
  `flags` set('a', 'b') not null default '',
  `made` timestamp not null default current_timestamp comment '*/ process.exit(1) /*\nends nothing',
  `changed` datetime(3) not null default current_timestamp(3) on update current_timestamp(3),
  `day` date not null,
  `at` time not null,
  `born` year,
  `ratio` double check (`ratio` between 0 and 1),
  `total` decimal(10, 2) not null default '0.00',
  `text` mediumtext not null,
  `name` varchar(40) not null default '' collate utf8mb4_bin,
  `data` json not null default '{}',
  `file` longblob,
  `key` uuid not null unique,
  `place` point,
  `twice` int generated always as (`tiny` * 2) stored,
  `state` varchar(10) not null check (`state` in ('on', 'off')),
  constraint `odd` check (`tiny` < `small` + 1000)
) comment '*/ process.exit(1) /*';

create table `code` (
  `code` char(2) not null primary key,
  `parent` char(2) references `code` (`code`),
  `secret_key` varchar(100) not null,
  `title` text,
  `long` bigint,
  unique key `title_begins` (`title`(20))
) collate utf8mb4_general_ci;

create table `order line` (
  `no` int not null auto_increment primary key,
  `code` char(2) not null,
  `select_id` bigint unsigned not null,
  foreign key (`code`) references `code` (`code`),
  foreign key (`select_id`) references `select` (`id`)
) collate utf8mb4_general_ci;

create table `keyless` (`a` int);

create view `names` as select `code` from `code`;

