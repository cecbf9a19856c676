-- Many commits with small thresholds: both clean, archive and compact the metadata table.
-- set hoodie.cleaner.commits.retained=2
-- set hoodie.keep.min.commits=4
-- set hoodie.keep.max.commits=5
-- set hoodie.metadata.compact.max.delta.commits=3
-- set hoodie.compact.inline.max.delta.commits=3
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (2, 'two', 2.5, 10, 'eu'), (3, 'three', 3.5, 10, 'us'), (4, 'four', 4.5, 10, 'us');
UPDATE {t} SET price = price + 1, ts = 20 WHERE id = 1;
UPDATE {t} SET price = price + 1, ts = 21 WHERE id = 2;
UPDATE {t} SET price = price + 1, ts = 22 WHERE id = 3;
UPDATE {t} SET price = price + 1, ts = 23 WHERE id = 4;
INSERT INTO {t} VALUES (5, 'five', 5.5, 24, 'asia');
UPDATE {t} SET price = price + 1, ts = 25 WHERE id = 1;
UPDATE {t} SET price = price + 1, ts = 26 WHERE id = 5;
UPDATE {t} SET price = price + 1, ts = 27 WHERE id > 2;
-- check
-- hudi
UPDATE {t} SET price = price + 1, ts = 30 WHERE id = 1;
UPDATE {t} SET price = price + 1, ts = 31 WHERE id = 2;
DELETE FROM {t} WHERE id = 3;
UPDATE {t} SET price = price + 1, ts = 33 WHERE id = 4;
INSERT INTO {t} (id, name, price, ts, region) VALUES (6, 'six', 6.5D, 34L, 'asia');
UPDATE {t} SET price = price + 1, ts = 35 WHERE id = 1;
UPDATE {t} SET price = price + 1, ts = 36 WHERE id = 5;
UPDATE {t} SET price = price + 1, ts = 37 WHERE id > 2;
-- check
-- tarn
UPDATE {t} SET price = price + 1, ts = 40 WHERE id = 1;
UPDATE {t} SET price = price + 1, ts = 41 WHERE id = 2;
INSERT INTO {t} VALUES (3, 'three again', 3.5, 42, 'us');
UPDATE {t} SET price = price + 1, ts = 43 WHERE id = 4;
DELETE FROM {t} WHERE id = 6;
UPDATE {t} SET price = price + 1, ts = 45 WHERE id = 1;
UPDATE {t} SET price = price + 1, ts = 46 WHERE id = 5;
-- check
-- hudi
UPDATE {t} SET price = price + 1, ts = 50 WHERE id = 1;
UPDATE {t} SET price = price + 1, ts = 51 WHERE id = 2;
UPDATE {t} SET price = price + 1, ts = 53 WHERE id = 4;
UPDATE {t} SET price = price + 1, ts = 56 WHERE id = 5;
-- check
