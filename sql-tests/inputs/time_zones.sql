-- A TIMESTAMP is a wall clock, in whatever zone the session writes and reads: in zones other than the JVM's, in the gap
-- and the overlap of daylight saving, before 1582. Files are the same for each zone, and filters in ORC change no row.

--CONFIG_DIM1 spark.sql.orc.filterPushdown=true
--CONFIG_DIM1 spark.sql.orc.filterPushdown=false

CREATE TABLE t (id INT, zone STRING, t TIMESTAMP, d DATE) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

SET TIME ZONE 'America/Los_Angeles';

INSERT INTO t VALUES (1, 'LA', TIMESTAMP '2024-07-01 09:00:00.123456', DATE '2024-07-01'), (2, 'LA', TIMESTAMP '1969-12-31 23:59:58.999999', DATE '1969-12-31');

-- a second of the wall clock that ORC cannot store is refused, in the session's own zone
INSERT INTO t VALUES (0, 'LA', TIMESTAMP '1969-12-31 23:59:59.5', NULL);

SET TIME ZONE '+05:45';

INSERT INTO t VALUES (3, '+05:45', TIMESTAMP '2024-07-01 09:00:00.123456', DATE '2024-07-01'), (4, '+05:45', TIMESTAMP '1970-01-01 00:00:00.000001', DATE '1970-01-01');

-- what was written in one zone is found under the same clock in another
SET TIME ZONE 'Pacific/Auckland';

--ROWS t
UPDATE t SET zone = concat(zone, ' Auckland'), t = t + INTERVAL 1 DAY WHERE t = TIMESTAMP '2024-07-01 09:00:00.123456' AND id = 1;

SELECT id, zone, t, d, date_format(t, 'VV') FROM t WHERE t > TIMESTAMP '1970-01-01 00:00:00' OR t < TIMESTAMP '1970-01-01 00:00:00' ORDER BY id;

-- an instant is written as the clock of the session
INSERT INTO t VALUES (5, 'instant', TIMESTAMP '2024-01-01 12:00:00 UTC', NULL);

SET TIME ZONE 'UTC';

SELECT id, t, CAST(t AS DATE), hour(t) FROM t WHERE t BETWEEN TIMESTAMP '2024-01-01 12:00:00' AND TIMESTAMP '2024-01-02 01:00:00';

-- the hour that does not exist in Berlin, written where it does, and the hour that comes twice
INSERT INTO t VALUES (6, 'UTC', TIMESTAMP '2024-03-31 02:30:00', NULL), (7, 'UTC', TIMESTAMP '2024-10-27 02:30:00', NULL);

SET TIME ZONE 'Europe/Berlin';

SELECT id, t, CAST(t AS STRING) FROM t WHERE id IN (6, 7) ORDER BY id;

SELECT id FROM t WHERE t = TIMESTAMP '2024-03-31 03:30:00' OR t = TIMESTAMP '2024-10-27 02:30:00' ORDER BY id;

-- written back from here the first would become 03:30, whichever columns are assigned
UPDATE t SET zone = 'moved' WHERE id = 6;

UPDATE t SET zone = 'moved' WHERE id = 7;

-- both hours are one clock: which of the two it was is not kept
INSERT INTO t VALUES (8, 'Berlin', TIMESTAMP '2024-10-27 00:30:00 UTC', NULL), (9, 'Berlin', TIMESTAMP '2024-10-27 01:30:00 UTC', NULL), (10, 'Berlin', TIMESTAMP '2024-03-31 02:30:00', NULL);

SELECT id, t, t = TIMESTAMP '2024-10-27 00:30:00 UTC' AS first FROM t WHERE id > 6 ORDER BY id;

--ROWS t
DELETE FROM t WHERE t = TIMESTAMP '2024-10-27 02:30:00' AND id > 7;

SET TIME ZONE 'UTC';

UPDATE t SET zone = 'moved' WHERE id = 6;

SELECT * FROM t WHERE id > 5 ORDER BY id;

-- before 1582 and before zones had whole hours; the days left out in 1582 are days here
CREATE TABLE far (id INT, t TIMESTAMP, d DATE) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

SET TIME ZONE 'Asia/Kathmandu';

INSERT INTO far VALUES (1, TIMESTAMP '1582-10-04 23:59:59.999999', DATE '1582-10-04'), (2, TIMESTAMP '1582-10-10 12:00:00', DATE '1582-10-10'), (3, TIMESTAMP '1582-10-15 00:00:00', DATE '1582-10-15'), (4, TIMESTAMP '0001-01-01 00:00:00', DATE '0001-01-01'), (5, TIMESTAMP '1883-11-18 12:00:00', DATE '1883-11-18'), (6, TIMESTAMP '9999-12-31 23:59:59.999999', DATE '9999-12-31');

SET TIME ZONE 'America/Los_Angeles';

UPDATE far SET d = d + 1 WHERE t = TIMESTAMP '1582-10-10 12:00:00' OR d = DATE '0001-01-01' OR t = TIMESTAMP '1883-11-18 12:00:00';

SELECT * FROM far WHERE t < TIMESTAMP '1582-10-15 00:00:00' OR d > DATE '1883-11-01' ORDER BY id;

DELETE FROM far WHERE t <= TIMESTAMP '1582-10-04 23:59:59.999999' AND d < DATE '1582-10-05';

SELECT * FROM far ORDER BY id;

-- a view computes in the zone in which it was made, and may pass timestamps on in any
SET TIME ZONE 'UTC';

CREATE VIEW late AS SELECT id, CAST(t AS DATE) AS day FROM t WHERE t > TIMESTAMP '2024-03-01 00:00:00';

CREATE VIEW passed_on AS SELECT id, t AS clock FROM t WHERE id < 8;

SELECT * FROM late ORDER BY id;

SET TIME ZONE 'Etc/UTC';

SELECT * FROM late ORDER BY id;

SET TIME ZONE 'America/Los_Angeles';

SELECT * FROM late ORDER BY id;

DELETE FROM t WHERE id IN (SELECT id FROM late);

SELECT id, clock FROM passed_on WHERE clock > TIMESTAMP '2024-03-01 00:00:00' ORDER BY id;

SET spark.sql.legacy.useCurrentConfigsForView = true;

SELECT * FROM late ORDER BY id;

SET spark.sql.legacy.useCurrentConfigsForView = false;

DROP VIEW late;

DROP VIEW passed_on;

-- so does a function
SET TIME ZONE 'UTC';

CREATE TEMPORARY FUNCTION early() RETURNS TABLE (id INT) RETURN SELECT id FROM t WHERE t.t < TIMESTAMP '2024-03-01 00:00:00';

SELECT * FROM early() ORDER BY id;

SET TIME ZONE 'America/Los_Angeles';

SELECT * FROM early() ORDER BY id;
