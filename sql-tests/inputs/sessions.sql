-- Several sessions on the same tables: what is a session's own, and what all of them see.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'one');

-- settings, variables and temporary views are the session's own
--SESSION tokyo
SET spark.sql.session.timeZone = Asia/Tokyo;
DECLARE VARIABLE name STRING DEFAULT 'of tokyo';
CREATE TEMPORARY VIEW source AS SELECT 2 AS id, name;
INSERT INTO t SELECT * FROM source;
--SESSION main
SELECT * FROM source;
SELECT current_timezone();
--SESSION tokyo
SELECT current_timezone();

-- what one session has written all others see at once, also where they had read the table before
--SESSION main
SELECT * FROM t ORDER BY id;
--SESSION other
UPDATE t SET name = concat(name, '!') WHERE id = 2;
--SESSION tokyo
SELECT * FROM t ORDER BY id;
--SESSION main
SELECT * FROM t ORDER BY id;
DELETE FROM t;
--SESSION other
SELECT count(*) FROM t;

-- a wall clock that one session wrote reads the same in every other
--SESSION main
CREATE TABLE clock (at TIMESTAMP) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO clock VALUES (TIMESTAMP '2024-06-01 09:00:00');
--SESSION tokyo
SELECT * FROM clock;
INSERT INTO clock VALUES (TIMESTAMP '2024-06-01 10:00:00');
--SESSION main
SELECT * FROM clock ORDER BY at;

-- a cached table is refreshed by the writes of any session
CACHE TABLE t;
--SESSION other
INSERT INTO t VALUES (3, 'three');
--SESSION main
SELECT * FROM t;
UNCACHE TABLE t;
