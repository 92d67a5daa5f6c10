-- The tutorial of Hive's ACID documentation without its UPDATE: files and row IDs as Hive 3.1.3 writes them.

CREATE TABLE acidtbl (a INT, b STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

--FILES acidtbl
--ROWS acidtbl
INSERT INTO acidtbl VALUES (100, 'oranges'), (200, 'apples'), (300, 'bananas');

SELECT * FROM acidtbl ORDER BY a;

--FILES acidtbl
--ROWS acidtbl
DELETE FROM acidtbl WHERE a = 200;

SELECT * FROM acidtbl ORDER BY a;

SELECT ROW__ID, a, b FROM acidtbl ORDER BY a;
