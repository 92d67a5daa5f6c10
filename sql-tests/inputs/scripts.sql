-- DML whose text, table or values are made at run time: SQL scripts, EXECUTE IMMEDIATE, IDENTIFIER, session variables.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE p (id INT, name STRING) PARTITIONED BY (day STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

-- a script's answer is that of its last statement; every statement in it is a transaction of its own
--FILES t
--QUERY-DELIMITER-START
BEGIN
  DECLARE amount INT DEFAULT 3;
  INSERT INTO t SELECT id, concat('n', id) FROM explode(sequence(0, amount - 1)) AS s (id);
  UPDATE t SET name = upper(name) WHERE id >= amount - 1;
  DELETE FROM t WHERE id = 0;
END;
--QUERY-DELIMITER-END
SELECT * FROM t ORDER BY id;

-- loops and conditions
--QUERY-DELIMITER-START
BEGIN
  DECLARE i INT DEFAULT 10;
  WHILE i < 14 DO
    IF i % 2 = 0 THEN
      INSERT INTO t VALUES (i, 'even');
    ELSE
      INSERT INTO t VALUES (i, 'odd');
    END IF;
    SET i = i + 1;
  END WHILE;
  UPDATE t SET name = concat(name, ' ', i) WHERE id = i - 1;
  SELECT * FROM t ORDER BY id;
END;
--QUERY-DELIMITER-END

-- the rows a loop goes through are those of its beginning
--QUERY-DELIMITER-START
BEGIN
  FOR r AS (SELECT id, name FROM t WHERE name = 'even') DO
    INSERT INTO t VALUES (r.id + 100, 'even');
    DELETE FROM t WHERE id = r.id;
  END FOR;
  SELECT id, name FROM t ORDER BY id;
END;
--QUERY-DELIMITER-END

-- an error ends the script; what ran before it stays
--QUERY-DELIMITER-START
BEGIN
  INSERT INTO t VALUES (20, 'stays');
  UPDATE t SET id = raise_error('on purpose') WHERE id = 20;
  INSERT INTO t VALUES (21, 'never');
END;
--QUERY-DELIMITER-END
SELECT * FROM t WHERE id BETWEEN 20 AND 29;

-- a handler goes on after it; our refusals are conditions like Spark's own
--QUERY-DELIMITER-START
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    INSERT INTO t VALUES (22, 'handled');
  END;
  INSERT INTO t SELECT CAST(name AS INT), 'never' FROM t WHERE id = 20;
END;
--QUERY-DELIMITER-END
SELECT * FROM t WHERE id BETWEEN 20 AND 29;
--QUERY-DELIMITER-START
BEGIN
  DECLARE EXIT HANDLER FOR SQLSTATE '0A000' BEGIN
    DELETE FROM t WHERE name = 'handled';
  END;
  MSCK REPAIR TABLE t;
END;
--QUERY-DELIMITER-END
SELECT * FROM t WHERE id BETWEEN 20 AND 29;

-- EXECUTE IMMEDIATE: text from a literal, a variable, with parameters by place and by name
DECLARE VARIABLE statement STRING;
DECLARE VARIABLE wanted INT DEFAULT 20;
EXECUTE IMMEDIATE 'INSERT INTO t VALUES (30, "immediate")';
SET VAR statement = 'UPDATE t SET name = ? WHERE id = ?';
EXECUTE IMMEDIATE statement USING 'by place', 30;
EXECUTE IMMEDIATE 'UPDATE t SET name = concat(name, :more) WHERE id = :id' USING ' and name' AS more, 30 AS id;
EXECUTE IMMEDIATE 'DELETE FROM t WHERE id = ?' USING wanted;
EXECUTE IMMEDIATE 'SELECT name FROM t WHERE id = 30' INTO statement;
SELECT statement;
EXECUTE IMMEDIATE 'DELETE FROM t WHERE unknown = 1';

-- IDENTIFIER: tables and columns by name
DECLARE VARIABLE named STRING DEFAULT 't';
INSERT INTO IDENTIFIER('t') VALUES (40, 'named');
INSERT INTO IDENTIFIER(named) (id) VALUES (41);
UPDATE IDENTIFIER(named) SET name = 'by identifier' WHERE IDENTIFIER('id') = 41;
DELETE FROM IDENTIFIER(named) WHERE IDENTIFIER(concat('i', 'd')) = 40;
SELECT * FROM IDENTIFIER(named) WHERE id >= 40;
DELETE FROM IDENTIFIER('no_such_table');

-- session variables in every place of a value
DECLARE VARIABLE least INT DEFAULT 12;
INSERT INTO t VALUES (least + 50, session.statement);
UPDATE t SET id = id + least, name = (SELECT named) WHERE id > least + 49;
UPDATE t SET id = nobodys_variable;
DELETE FROM t WHERE id BETWEEN least AND least + 1 OR id IN (SELECT least + 101);
SELECT * FROM t ORDER BY id;

-- partitions by value of a variable
DECLARE VARIABLE today STRING DEFAULT '2024-01-02';
--QUERY-DELIMITER-START
BEGIN
  DECLARE days ARRAY<STRING> DEFAULT array('2024-01-01', '2024-01-02', '2024-01-03');
  DECLARE i INT DEFAULT 0;
  REPEAT
    INSERT INTO p VALUES (i, 'of a script', days[i]);
    SET i = i + 1;
  UNTIL i = array_size(days)
  END REPEAT;
END;
--QUERY-DELIMITER-END
UPDATE p SET name = 'today' WHERE day = today;
DELETE FROM p WHERE day > today;
SELECT * FROM p ORDER BY id;
