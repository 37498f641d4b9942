import { actualOf, modeOf } from './actual.mjs'
import { ACTUAL_BY_MODE } from './modes.mjs'

/**
 * Compares every step of every case with the library, each step as an update of the one before, and lets the library verify
 * what the reference holds after it. Carried from step to
 * step are the result, the resources that patches lead to, and real servers that wait for the end of their connections
 * (mode ipvs).
 * @returns mode → `{ cases, steps, agreeing, verified, differences }`; `differences` holds `{ name, step, lines }` per step, and
 * is undefined for a mode that is not implemented
 */
export function runCases(library, compareStep, cases) {
  const byMode = new Map()
  for (const conformanceCase of cases) {
    const memory = new Map()
    for (const [index, step] of conformanceCase.steps.entries()) {
      const tally = tallyOf(byMode, modeOf(step))
      tally.cases.add(conformanceCase.name)
      tally.steps++
      if (tally.differences === undefined) continue
      const { differences, drift } = differencesOf(library, compareStep, conformanceCase, step, memory)
      const lines = [...differences, ...drift]
      if (differences.length === 0) tally.agreeing++
      if (drift.length === 0) tally.verified++
      if (lines.length > 0) tally.differences.push({ name: conformanceCase.name, step: index + 1, lines })
    }
  }
  return byMode
}

function tallyOf(byMode, mode) {
  const known = byMode.get(mode)
  if (known !== undefined) return known
  const differences = ACTUAL_BY_MODE.has(mode) ? [] : undefined
  const tally = { cases: new Set(), steps: 0, agreeing: 0, verified: 0, differences }
  byMode.set(mode, tally)
  return tally
}

function differencesOf(library, compareStep, conformanceCase, step, memory) {
  try {
    const { actual, problems, drift } = actualOf(library, conformanceCase, step, memory)
    return { differences: [...compareStep(step.expected, actual), ...problems], drift }
  } catch (error) {
    return { differences: [`threw ${error instanceof Error ? error.stack : error}`], drift: ['not verified'] }
  }
}
