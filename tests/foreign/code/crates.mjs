export const total = (crates) => crates.reduce((sum, crate) => sum + crate.apples, 0);
