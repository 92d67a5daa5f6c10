-- ALTER TABLE … COMPACT puts compactions into the metastore's queue; SHOW COMPACTIONS tells what becomes of them.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 'a'), (2, 'b');

EXPLAIN ALTER TABLE t COMPACT 'major';

SHOW COMPACTIONS t;

ALTER TABLE t COMPACT 'major' POOL 'nobody';

-- one of it is in the queue
alter table T compact 'MINOR';

SHOW COMPACTIONS t;

SHOW COMPACTIONS spark_catalog.default.nothing;

-- nothing has happened yet
--FILES t
SELECT * FROM t ORDER BY id;

-- every partition, or those that are meant

CREATE TABLE p (id INT) PARTITIONED BY (d INT, e STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

ALTER TABLE p COMPACT 'major';

INSERT INTO p VALUES (1, 1, 'x'), (2, 1, 'a/b'), (3, NULL, 'x'), (4, 4, 'Ä');

ALTER TABLE p PARTITION (d = '01', e = 'a/b') COMPACT 'minor' POOL 'nobody' WITH OVERWRITE TBLPROPERTIES ('a' = 'b');

ALTER TABLE p PARTITION (d = NULL) COMPACT 'rebalance' CLUSTERED INTO 4 BUCKETS POOL 'nobody';

ALTER TABLE p COMPACT 'major' POOL 'nobody';

SHOW COMPACTIONS p ORDER BY compactionid;

SHOW COMPACTIONS p POOL 'nobody' TYPE 'major' STATUS 'initiated' ORDER BY partname DESC LIMIT 1;

SHOW COMPACTIONS p PARTITION (e = 'x') ORDER BY partname;

SHOW COMPACTIONS p TYPE 'rebalance';

SHOW COMPACTIONS p STATE 'ready for cleaning';

SHOW COMPACTIONS COMPACT_ID = 9000000000000;

EXECUTE IMMEDIATE 'SHOW COMPACTIONS p TYPE ''minor''';

EXPLAIN SHOW COMPACTIONS p TYPE 'minor';

-- what is not compacted

CREATE TABLE bucketed (id INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE plain (id INT) STORED AS ORC;

ALTER TABLE bucketed COMPACT 'rebalance';

ALTER TABLE t COMPACT 'major' CLUSTERED INTO 4 BUCKETS;

ALTER TABLE t COMPACT 'rebalance' ORDER BY id DESC;

ALTER TABLE plain COMPACT 'major';

ALTER TABLE nothing COMPACT 'major';

ALTER TABLE other.db.t COMPACT 'major';

ALTER TABLE t PARTITION (d = 1) COMPACT 'major';

ALTER TABLE p PARTITION (d = 7, e = 'x') COMPACT 'major';

ALTER TABLE p PARTITION (d = 7) COMPACT 'major';

ALTER TABLE p PARTITION (z = 7) COMPACT 'major';

SHOW COMPACTIONS nothing;

SHOW COMPACTIONS DATABASE nothing;

-- what is mistyped

ALTER TABLE t COMPACT major;

ALTER TABLE t COMPACT 'mayor';

ALTER TABLE t
COMPACT 'major' POOL 'p' AND WAIT;

ALTER TABLE t COMPACT 'major' WITH TBLPROPERTIES ('a' = 'b');

ALTER TABLE p PARTITION (d) COMPACT 'major';

SHOW COMPACTION;

SHOW COMPACTIONS t STATUS 'done';

SHOW COMPACTIONS ORDER BY age;

SHOW COMPACTIONS COMPACT_ID 7;
