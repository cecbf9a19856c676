-- short: tarn makes and changes a table, Hudi goes on, tarn goes on.
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, amount DECIMAL(10,2), d DATE, at TIMESTAMP, tags ARRAY<STRING>, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES
  (1, 'one', 1.5, 1.25, DATE '2024-01-01', TIMESTAMP '2024-01-01 10:00:00.123456', array('a', 'b'), 10, 'eu'),
  (2, 'two', 2.5, -2.25, DATE '2024-01-02', TIMESTAMP '2024-01-02 10:00:00', array(), 10, 'eu'),
  (3, 'drei ÄÖ', NULL, NULL, NULL, NULL, NULL, 10, 'us'),
  (4, '', 4.5, 99999999.99, DATE '1999-12-31', TIMESTAMP '1999-12-31 23:59:59.999999', array('x'), 10, 'us');
-- check
-- tarn
INSERT INTO {t} VALUES (2, 'two again', 2.75, 0.01, DATE '2024-02-02', TIMESTAMP '2024-02-02 00:00:00', array('n'), 20, 'eu'), (5, 'five', 5.5, 5.00, NULL, NULL, array('e'), 20, 'us');
UPDATE {t} SET price = price + 1, ts = ts + 100 WHERE id = 1;
DELETE FROM {t} WHERE id = 4;
-- check
-- hudi
INSERT INTO {t} (id, name, price, amount, d, at, tags, ts, region) SELECT 6, 'six', 6.5D, CAST(6.66 AS DECIMAL(10,2)), DATE '2024-06-06', TIMESTAMP '2024-06-06 06:06:06', array('s'), 30L, 'eu';
UPDATE {t} SET name = 'two by hudi', ts = 300 WHERE id = 2;
DELETE FROM {t} WHERE id = 3;
-- check
-- hudi
CALL run_compaction(op => 'schedule', table => '{t}'); -- mor
CALL run_compaction(op => 'run', table => '{t}'); -- mor
CALL run_clean(table => '{t}', retain_commits => 1);
-- check
-- tarn
MERGE INTO {t} t USING (SELECT * FROM VALUES (1, 'merged', 400L), (7, 'seven', 400L), (6, 'gone', 400L) AS s(id, name, ts)) s ON t.id = s.id
  WHEN MATCHED AND s.name = 'gone' THEN DELETE
  WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts
  WHEN NOT MATCHED THEN INSERT (id, name, amount, d, ts, region) VALUES (s.id, s.name, 7.77, DATE '2024-07-07', s.ts, 'us'); -- Hudi 1.0.2 cannot log a NULL date, nor always a NULL decimal
-- check
-- hudi
UPDATE {t} SET price = 0.5, ts = 500 WHERE id = 7;
-- check
