-- The table of the database chapter. The source it answers did not publish its own; these are ten rows of about 115 bytes as JSON.
CREATE TABLE books (
  id integer PRIMARY KEY,
  title text NOT NULL,
  author text NOT NULL,
  year integer NOT NULL,
  pages integer NOT NULL,
  language text NOT NULL
);

INSERT INTO books (id, title, author, year, pages, language) VALUES
  (1, 'The Patience of Sockets', 'Ada Fairweather', 1998, 312, 'English'),
  (2, 'A Short History of Waiting', 'Tomas Lindqvist', 2004, 198, 'English'),
  (3, 'Queues and Other Polite Habits', 'Imani Okafor', 2011, 276, 'English'),
  (4, 'One Thread, Many Clients', 'Rosa Delgado', 2016, 344, 'Spanish'),
  (5, 'Letters from the Event Loop', 'Henrik Aalto', 2012, 157, 'Finnish'),
  (6, 'The Cost of Saying Hello', 'Mei-Lin Chou', 2019, 221, 'Chinese'),
  (7, 'Handshakes, an Anthology', 'Various Authors', 2001, 489, 'English'),
  (8, 'Ten Thousand Open Doors', 'Samir Haddad', 1999, 265, 'Arabic'),
  (9, 'What the Pool Remembered', 'Eleanor Whitcombe', 2021, 302, 'English'),
  (10, 'Little and the Law', 'Jonas Brandt', 1961, 134, 'German');
