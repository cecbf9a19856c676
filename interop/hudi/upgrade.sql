-- A table of version 6 that Hudi writes as it is, upgrades, and downgrades, and tarn writes after each.
-- from 1.0.2
-- set hoodie.write.auto.upgrade=false
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
CALL downgrade_table(table => '{t}', to_version => 'SIX');
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (2, 'two', 2.5, 10, 'eu'), (3, 'three', 3.5, 10, 'us'), (4, 'four', 4.5, 10, 'us');
UPDATE {t} SET price = price + 1, ts = 20 WHERE id IN (1, 3);
-- check
-- hudi
SET hoodie.write.table.version=6;
UPDATE {t} SET name = 'two by hudi', ts = 30 WHERE id = 2;
INSERT INTO {t} (id, name, price, ts, region) VALUES (5, 'five', 5.5D, 30L, 'us');
RESET hoodie.write.table.version;
-- check
-- tarn
UPDATE {t} SET price = price + 1, ts = 40 WHERE id IN (1, 5);
-- hudi
CALL upgrade_table(table => '{t}', to_version => 'EIGHT'); -- to 1.0.2
CALL upgrade_table(table => '{t}', to_version => 'NINE'); -- from 1.1.1
-- check
-- hudi
UPDATE {t} SET name = 'three by hudi', ts = 50 WHERE id = 3;
-- check
-- tarn
INSERT INTO {t} VALUES (1, 'one by tarn', 1.25, 60, 'eu'), (6, 'six', 6.5, 60, 'us');
DELETE FROM {t} WHERE id = 4;
-- check
-- hudi
CALL downgrade_table(table => '{t}', to_version => 'SIX');
-- check
-- tarn
INSERT INTO {t} VALUES (2, 'two by tarn', 2.25, 70, 'eu'), (7, 'seven', 7.5, 70, 'us');
CALL upgrade_table(table => '{t}', to_version => 'EIGHT'); -- to 1.0.2
CALL upgrade_table(table => '{t}', to_version => 'NINE'); -- from 1.1.1
-- check
-- hudi
UPDATE {t} SET name = 'last', ts = 80 WHERE id IN (6, 7);
-- check
