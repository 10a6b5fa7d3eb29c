import { total } from "./crates.mjs";

console.log(total([{ apples: 12 }, { apples: 30 }]));
