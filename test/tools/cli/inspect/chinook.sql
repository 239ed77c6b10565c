-- The structure of the Chinook database, written down from https://github.com/lerocha/chinook-database
-- (Chinook_Sqlite.sql). Licence: MIT, copyright (c) 2008-2017 Luis Rocha: see NOTICE.txt. Its types are known to MariaDB, too.

create table Artist (
  ArtistId integer not null,
  Name nvarchar(120),
  constraint PK_Artist primary key (ArtistId)
);

create table Album (
  AlbumId integer not null,
  Title nvarchar(160) not null,
  ArtistId integer not null,
  constraint PK_Album primary key (AlbumId),
  foreign key (ArtistId) references Artist (ArtistId)
);

create table Employee (
  EmployeeId integer not null,
  LastName nvarchar(20) not null,
  FirstName nvarchar(20) not null,
  Title nvarchar(30),
  ReportsTo integer,
  BirthDate datetime,
  HireDate datetime,
  Address nvarchar(70),
  City nvarchar(40),
  State nvarchar(40),
  Country nvarchar(40),
  PostalCode nvarchar(10),
  Phone nvarchar(24),
  Fax nvarchar(24),
  Email nvarchar(60),
  constraint PK_Employee primary key (EmployeeId),
  foreign key (ReportsTo) references Employee (EmployeeId)
);

create table Customer (
  CustomerId integer not null,
  FirstName nvarchar(40) not null,
  LastName nvarchar(20) not null,
  Company nvarchar(80),
  Address nvarchar(70),
  City nvarchar(40),
  State nvarchar(40),
  Country nvarchar(40),
  PostalCode nvarchar(10),
  Phone nvarchar(24),
  Fax nvarchar(24),
  Email nvarchar(60) not null,
  SupportRepId integer,
  constraint PK_Customer primary key (CustomerId),
  foreign key (SupportRepId) references Employee (EmployeeId)
);

create table Genre (
  GenreId integer not null,
  Name nvarchar(120),
  constraint PK_Genre primary key (GenreId)
);

create table MediaType (
  MediaTypeId integer not null,
  Name nvarchar(120),
  constraint PK_MediaType primary key (MediaTypeId)
);

create table Track (
  TrackId integer not null,
  Name nvarchar(200) not null,
  AlbumId integer,
  MediaTypeId integer not null,
  GenreId integer,
  Composer nvarchar(220),
  Milliseconds integer not null,
  Bytes integer,
  UnitPrice numeric(10,2) not null,
  constraint PK_Track primary key (TrackId),
  foreign key (AlbumId) references Album (AlbumId),
  foreign key (GenreId) references Genre (GenreId),
  foreign key (MediaTypeId) references MediaType (MediaTypeId)
);

create table Invoice (
  InvoiceId integer not null,
  CustomerId integer not null,
  InvoiceDate datetime not null,
  BillingAddress nvarchar(70),
  BillingCity nvarchar(40),
  BillingState nvarchar(40),
  BillingCountry nvarchar(40),
  BillingPostalCode nvarchar(10),
  Total numeric(10,2) not null,
  constraint PK_Invoice primary key (InvoiceId),
  foreign key (CustomerId) references Customer (CustomerId)
);

create table InvoiceLine (
  InvoiceLineId integer not null,
  InvoiceId integer not null,
  TrackId integer not null,
  UnitPrice numeric(10,2) not null,
  Quantity integer not null,
  constraint PK_InvoiceLine primary key (InvoiceLineId),
  foreign key (InvoiceId) references Invoice (InvoiceId),
  foreign key (TrackId) references Track (TrackId)
);

create table Playlist (
  PlaylistId integer not null,
  Name nvarchar(120),
  constraint PK_Playlist primary key (PlaylistId)
);

create table PlaylistTrack (
  PlaylistId integer not null,
  TrackId integer not null,
  constraint PK_PlaylistTrack primary key (PlaylistId, TrackId),
  foreign key (PlaylistId) references Playlist (PlaylistId),
  foreign key (TrackId) references Track (TrackId)
);

create index IFK_AlbumArtistId on Album (ArtistId);

create index IFK_TrackAlbumId on Track (AlbumId);

