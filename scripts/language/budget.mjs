/** A budget should be lowered if the value is below this share of it. */
const ROOM = 0.9

/**
 * Compares measured values with their budgets. Both are numbers by surface and name: `{ docs: { relatives: 1.2 } }`.
 * Returns `exceeded` and `reducible`, lists of `{ surface, name, value, budget }`. A value without a budget must be 0.
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

/** Returns new budgets: the lower of measured value and budget. A value without a budget becomes its budget. */
export function lowerBudget(measured, budgets) {
  return mapValues(measured, (values, surface) =>
    mapValues(values, (value, name) => Math.min(value, budgets[surface]?.[name] ?? value)),
  )
}

function mapValues(record, map) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
}
