-- --8<-- [start:make]
CREATE TABLE crates (place TEXT, apples INTEGER);
INSERT INTO crates VALUES ('cellar', 12), ('barn', 30), ('cellar', 8);
-- --8<-- [end:make]
-- --8<-- [start:sum]
SELECT place, SUM(apples) FROM crates GROUP BY place ORDER BY place;
-- --8<-- [end:sum]
