-- Every type comes back as it went in, at its limits too, whatever the session's time zone:
-- TIMESTAMP is wall clock in the files, so that the files are the same for each zone.

--CONFIG_DIM1 spark.sql.session.timeZone=UTC
--CONFIG_DIM1 spark.sql.session.timeZone=America/Los_Angeles
--CONFIG_DIM1 spark.sql.session.timeZone=Asia/Kathmandu

CREATE TABLE numbers (id INT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE)
STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO numbers VALUES
  (1, true, 127, 32767, 2147483647, 9223372036854775807, CAST('3.4028235E38' AS FLOAT), 1.7976931348623157E308D),
  (2, false, -128, -32768, -2147483648, -9223372036854775808, CAST('-3.4028235E38' AS FLOAT), -1.7976931348623157E308D),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, true, 0, 0, 0, 0, CAST('1.4E-45' AS FLOAT), 4.9E-324D),
  (5, true, 1, 1, 1, 1, CAST('NaN' AS FLOAT), CAST('Infinity' AS DOUBLE)),
  (6, true, -1, -1, -1, -1, CAST('-0.0' AS FLOAT), CAST('-Infinity' AS DOUBLE)),
  (7, true, 1, 1, 1, 1, 0.1, 0.1);

SELECT * FROM numbers;

SELECT id FROM numbers WHERE d = CAST('Infinity' AS DOUBLE) OR f = CAST('NaN' AS FLOAT);

SELECT id FROM numbers WHERE l = -9223372036854775808 OR t = 127;

DELETE FROM numbers WHERE f = CAST('NaN' AS FLOAT) OR d = -1.7976931348623157E308D OR i IS NULL;

SELECT id FROM numbers;

CREATE TABLE decimals (id INT, a DECIMAL(38, 18), b DECIMAL(38, 0), c DECIMAL(5, 2), d DECIMAL(1, 1), e DECIMAL(18, 18))
STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO decimals VALUES
  (1, 99999999999999999999.999999999999999999, 99999999999999999999999999999999999999, 999.99, 0.9, 0.999999999999999999),
  (2, -99999999999999999999.999999999999999999, -99999999999999999999999999999999999999, -999.99, -0.9, -0.999999999999999999),
  (3, NULL, NULL, NULL, NULL, NULL),
  (4, 0, 0, 0, 0, 0),
  (5, 0.000000000000000001, 1, 0.01, 0.1, 0.000000000000000001),
  (6, 1, 10, 1.5, 0.5, 0.5);

--ROWS decimals
DELETE FROM decimals WHERE b = 10;

SELECT * FROM decimals;

SELECT id FROM decimals WHERE a > 99999999999999999999 OR c = -999.99;

CREATE TABLE texts (id INT, s STRING, v VARCHAR(3), c CHAR(3), b BINARY) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO texts VALUES
  (1, 'plain', 'abc', 'abc', X'00FF10'),
  (2, '', '', '', X''),
  (3, NULL, NULL, NULL, NULL),
  (4, 'tab\tnew\nline', 'a\tb', 'a\tb', X'0A'),
  (5, 'ünïcödé 日本語 🎉', '日本語', '🎉é', CAST('🎉' AS BINARY)),
  (6, 'a;b -- c', ';', '--', X'3B'),
  (7, concat('zero', chr(0), 'byte'), 'a', 'a', X'00');

SELECT id, replace(replace(s, '\n', '\\n'), chr(0), '\\0') AS s, v, concat('[', c, ']') AS c, hex(b) AS b FROM texts;

SELECT id, length(s) AS s, octet_length(s) AS bytes, char_length(v) AS v, octet_length(b) AS b FROM texts;

SELECT id FROM texts WHERE s = '' OR b = X'00FF10' OR c = '🎉é';

CREATE TABLE times (id INT, d DATE, t TIMESTAMP) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO times VALUES
  (1, DATE '1970-01-01', TIMESTAMP '1970-01-01 00:00:00'),
  (2, DATE '2024-02-29', TIMESTAMP '2024-02-29 23:59:59.999999'),
  (3, NULL, NULL),
  (4, DATE '1969-12-31', TIMESTAMP '1969-12-31 12:00:00.000001'),
  (5, DATE '1900-01-01', TIMESTAMP '1900-01-01 00:00:00'),
  (6, DATE '2038-01-20', TIMESTAMP '2038-01-20 03:14:08.123456');

--ROWS times
DELETE FROM times WHERE t = TIMESTAMP '1900-01-01 00:00:00' AND d = DATE '1900-01-01';

SELECT * FROM times;

SELECT id FROM times WHERE t >= TIMESTAMP '2024-02-29 23:59:59.999999';

SELECT id FROM times WHERE t < TIMESTAMP '1970-01-01 00:00:00';

SELECT id FROM times WHERE d BETWEEN DATE '1969-12-31' AND DATE '1970-01-01';

-- a timestamp without a zone is the same wall clock

INSERT INTO times SELECT 7, DATE '2024-07-01', TIMESTAMP_NTZ '2024-07-01 12:34:56.789';

SELECT * FROM times WHERE id = 7 AND t = TIMESTAMP '2024-07-01 12:34:56.789';

-- far away: Hive 3 and 4 read dates before 1582-10-15 differently

CREATE TABLE far_times (id INT, d DATE, t TIMESTAMP) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO far_times VALUES
  (1, DATE '9999-12-31', TIMESTAMP '9999-12-31 23:59:59.999999'),
  (2, DATE '1582-10-15', TIMESTAMP '1582-10-15 00:00:00');

INSERT INTO far_times VALUES (3, DATE '1582-10-04', NULL);

INSERT INTO far_times VALUES (4, NULL, TIMESTAMP '0001-01-01 00:00:00');

SELECT * FROM far_times;
