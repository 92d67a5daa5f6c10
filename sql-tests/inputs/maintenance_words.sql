-- DESCRIBE DETAIL, OPTIMIZE and VACUUM, as users of Delta know them, and Hive's ABORT COMPACTIONS.
CREATE TABLE t (id INT, name STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE p (id INT, name STRING) PARTITIONED BY (day DATE, n INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE i (id INT) STORED AS PARQUET TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only');

CREATE TABLE plain (id INT, day STRING) STORED AS ORC;

INSERT INTO t VALUES (1, 'one'), (2, 'two');

DELETE FROM t WHERE id = 2;

INSERT INTO p VALUES (1, 'a', DATE '2024-01-30', 2), (2, 'b', DATE '2024-01-31', 2), (3, 'c', DATE '2024-01-31', 10), (4, 'd', NULL, 10);

INSERT INTO p SELECT id + 10, name, day, n FROM p;

INSERT INTO i VALUES (1);

-- One row about a table, and about what a reader of now reads.
DESCRIBE DETAIL t;

DESC DETAIL p;

DESCRIBE DETAIL i;

-- A plain table keeps Spark's words.
DESCRIBE DETAIL plain;

OPTIMIZE plain;

VACUUM plain DRY RUN;

-- A condition tells partitions by their typed values.
OPTIMIZE p WHERE n > 2 AND day >= '2024-01-01';

OPTIMIZE p WHERE day IS NULL;

OPTIMIZE p WHERE n = 77;

OPTIMIZE p WHERE day = current_date() - 10000;

SELECT * FROM p ORDER BY id;

-- It asks for nothing but partition columns.
OPTIMIZE p WHERE name = 'a';

OPTIMIZE t WHERE id > 1;

OPTIMIZE p WHERE n IN (SELECT id FROM t);

OPTIMIZE p WHERE nothing = 1;

OPTIMIZE p WHERE n + 1;

OPTIMIZE p WHERE n = 2 ZORDER BY (id);

OPTIMIZE t;

SELECT * FROM t;

-- What an overwrite has replaced goes with the Cleaner alone.
INSERT OVERWRITE i VALUES (2);

VACUUM i DRY RUN;

VACUUM i;

VACUUM i RETAIN 168 HOURS;

EXPLAIN VACUUM i DRY RUN;

-- One of another kind is told of in the metastore's words.
ABORT COMPACTIONS 9000000000;

ABORT COMPACTIONS;
