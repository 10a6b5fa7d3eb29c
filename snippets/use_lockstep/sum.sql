SELECT place, SUM(apples) FROM crates GROUP BY place ORDER BY place;
