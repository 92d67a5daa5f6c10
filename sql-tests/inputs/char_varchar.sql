-- CHAR is read with blanks up to its length and compared without regard to them; VARCHAR keeps the blanks it was given;
-- what is too long is refused in INSERT and UPDATE unless only blanks are lost. Filters in ORC change nothing of it.

--CONFIG_DIM1 spark.sql.orc.filterPushdown=true
--CONFIG_DIM1 spark.sql.orc.filterPushdown=false

CREATE TABLE t (id INT, c CHAR(4), v VARCHAR(4)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

-- the length counts characters, not bytes
INSERT INTO t VALUES
  (1, 'ab', 'ab'), (2, 'ab  ', 'ab  '), (3, '', ''), (4, '    ', '    '), (5, NULL, NULL),
  (6, 'abcd', 'abcd'), (7, '日本語é', '日本語é'), (8, ' ab', ' ab');

SELECT id, concat('[', c, ']') AS c, length(c), concat('[', v, ']') AS v, length(v) FROM t ORDER BY id;

-- blanks at the end are cut down to the length, in both types
INSERT INTO t VALUES (9, 'abcd   ', 'abcd   '), (10, 'x      ', 'x      ');

SELECT id, concat('[', c, ']') AS c, concat('[', v, ']') AS v FROM t WHERE id > 8 ORDER BY id;

-- too long
INSERT INTO t VALUES (11, 'abcde', 'x');

INSERT INTO t VALUES (11, 'x', 'abcde');

UPDATE t SET c = 'abcde' WHERE id = 1;

UPDATE t SET v = concat(v, v, 'x') WHERE id = 1;

SELECT count(*) FROM t;

-- comparison with text: CHAR pads the literal, VARCHAR does not
SELECT 'c', collect_list(id) FROM (SELECT id FROM t WHERE c = 'ab' ORDER BY id)
UNION ALL SELECT 'c blanks', collect_list(id) FROM (SELECT id FROM t WHERE c = 'ab      ' ORDER BY id)
UNION ALL SELECT 'c in', collect_list(id) FROM (SELECT id FROM t WHERE c IN ('ab', 'x', '') ORDER BY id)
UNION ALL SELECT 'c range', collect_list(id) FROM (SELECT id FROM t WHERE c > 'ab' ORDER BY id)
UNION ALL SELECT 'v', collect_list(id) FROM (SELECT id FROM t WHERE v = 'ab' ORDER BY id)
UNION ALL SELECT 'v blanks', collect_list(id) FROM (SELECT id FROM t WHERE v = 'ab  ' ORDER BY id)
UNION ALL SELECT 'v in', collect_list(id) FROM (SELECT id FROM t WHERE v IN ('ab', 'x', '') ORDER BY id)
UNION ALL SELECT 'v range', collect_list(id) FROM (SELECT id FROM t WHERE v > 'ab' ORDER BY id)
UNION ALL SELECT 'c = v', collect_list(id) FROM (SELECT id FROM t WHERE c = v ORDER BY id)
UNION ALL SELECT 'c like', collect_list(id) FROM (SELECT id FROM t WHERE c LIKE 'ab%' ORDER BY id)
UNION ALL SELECT 'v like', collect_list(id) FROM (SELECT id FROM t WHERE v LIKE 'ab' ORDER BY id);

-- the same conditions in UPDATE and DELETE; the new versions are padded and cut like inserted ones
--ROWS t
UPDATE t SET c = 'y', v = 'y   ' WHERE c = 'x' OR v = ' ab';

UPDATE t SET c = v, v = c WHERE id IN (2, 3);

DELETE FROM t WHERE c = '' AND v = '    ' OR c = 'ab' AND v = 'ab';

SELECT id, concat('[', c, ']') AS c, concat('[', v, ']') AS v FROM t ORDER BY id;

-- inside of other types, where Spark pads what is read and written but no literal of a comparison
CREATE TABLE n (id INT, s STRUCT<c: CHAR(3), v: VARCHAR(3)>, a ARRAY<VARCHAR(2)>) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO n VALUES (1, named_struct('c', 'a', 'v', 'a'), array('x', 'x ', NULL)), (2, NULL, array()), (3, named_struct('c', NULL, 'v', NULL), NULL);

INSERT INTO n VALUES (4, named_struct('c', 'abcd', 'v', 'a'), NULL);

INSERT INTO n VALUES (4, NULL, array('abc'));

UPDATE n SET s.v = 'bb', a = array('yz') WHERE s.c = 'a  ';

SELECT id, concat('[', s.c, ']') AS c, concat('[', s.v, ']') AS v, a FROM n ORDER BY id;

-- as a partition column
CREATE TABLE p (id INT) PARTITIONED BY (v VARCHAR(3)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

--FILES p
INSERT INTO p VALUES (1, 'a'), (2, 'a '), (3, 'abc'), (4, NULL);

INSERT INTO p VALUES (5, 'abcd');

DELETE FROM p WHERE v = 'a';

UPDATE p SET id = id + 10 WHERE v IN ('a ', 'abc') OR v IS NULL;

SELECT id, concat('[', v, ']') AS v FROM p ORDER BY id;

CREATE TABLE pc (id INT) PARTITIONED BY (c CHAR(3)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO pc VALUES (1, 'a');
