// What of the site's own records stands beside the reader's card.

// Rows of data/benchmarks.json -> the H200's copy rate, of its own device copy, in GB/s; undefined without one.
export const copyRate = rows => rows.find(row => row.id === "transpose")?.reference
