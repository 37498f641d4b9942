/** Below this share of its budget a value has a budget that can be lowered. */
const ROOM = 0.9

/**
 * Compares measured values with their budgets. Both are numbers by surface and name: `{ docs: { relatives: 1.2 } }`.
 * Returns `exceeded` and `reducible`, lists of `{ surface, name, value, budget }`. Without a budget nothing is allowed.
 */
export function checkBudget(measured, budgets) {
  const entries = Object.entries(measured).flatMap(([surface, values]) =>
    Object.entries(values).map(([name, value]) => ({ surface, name, value, budget: budgets[surface]?.[name] ?? 0 })),
  )
  return {
    exceeded: entries.filter(({ value, budget }) => value > budget),
    reducible: entries.filter(({ value, budget }) => value < budget * ROOM),
  }
}

/** Returns the lower of measured value and budget for everything measured; a measured value without a budget is added. */
export function lowerBudget(measured, budgets) {
  return mapValues(measured, (values, surface) =>
    mapValues(values, (value, name) => Math.min(value, budgets[surface]?.[name] ?? value)),
  )
}

function mapValues(record, map) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
}
