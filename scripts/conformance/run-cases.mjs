import { actualOf, modeOf, versionOf } from './actual.mjs'
import { KEPT_SLICES_REASON, withKeptSlices } from './kept-slices.mjs'
import { withOlderSelectors } from './label-selectors.mjs'
import { ACTUAL_BY_MODE } from './modes.mjs'

/**
 * Compares every step of every case with the library, each step as an update of the previous one. Verifies the
 * reference state after each step. The result, the patched resources, and real servers with open connections (mode
 * ipvs) pass from step to step.
 * @returns `tallies`: mode and version (`ipvs 1.30`) → `{ cases, steps, agreeing, verified, differences }`, and
 *   `differences` is a list of `{ name, step, lines }`, with a `reason` if the case shows it; `skipped`: `{ cases, steps, modes }` of modes that are not
 *   implemented; `olderSelectors`: the names of the cases that agree only with the label selectors of 1.35
 */
export function runCases(library, compareStep, cases) {
  const tallies = new Map()
  const skipped = { cases: new Set(), steps: 0, modes: new Set() }
  const olderSelectors = new Set()
  for (const conformanceCase of cases) {
    const { results, older } = resultsOf(library, compareStep, conformanceCase)
    if (older) olderSelectors.add(conformanceCase.name)
    for (const [index, { mode, differences, drift, reason }] of results.entries()) {
      if (differences === undefined) {
        skip(skipped, conformanceCase, mode)
        continue
      }
      const tally = tallyOf(tallies, `${mode} ${versionOf(conformanceCase)}`)
      tally.cases.add(conformanceCase.name)
      tally.steps++
      const lines = [...differences, ...drift]
      if (differences.length === 0) tally.agreeing++
      if (drift.length === 0) tally.verified++
      if (lines.length > 0) {
        tally.differences.push({ name: conformanceCase.name, step: index + 1, lines, ...(reason && { reason }) })
      }
    }
  }
  return { tallies, skipped, olderSelectors }
}

/** Returns the results of the steps; `older` is true if they agree only with the label selectors of 1.35. */
function resultsOf(library, compareStep, conformanceCase) {
  const results = stepResults(library, compareStep, conformanceCase)
  const older = results.every(agrees) ? undefined : withOlderSelectors(conformanceCase)
  const olderResults = older && stepResults(library, compareStep, older)
  if (olderResults?.every(agrees)) return { results: olderResults, older: true }
  return { results: withReasons(library, compareStep, conformanceCase, results), older: false }
}

/** Adds the reason to the differing steps of a case that agrees if kube-proxy keeps the slices of former Services. */
function withReasons(library, compareStep, conformanceCase, results) {
  const kept = results.every(agrees) ? undefined : withKeptSlices(conformanceCase)
  const isExplained = kept !== undefined && stepResults(library, compareStep, kept).every(agrees)
  if (!isExplained) return results
  return results.map((result) => (agrees(result) ? result : { ...result, reason: KEPT_SLICES_REASON }))
}

function agrees({ differences = [], drift = [] }) {
  return differences.length + drift.length === 0
}

function stepResults(library, compareStep, conformanceCase) {
  const memory = new Map()
  return conformanceCase.steps.map((step) => {
    const mode = modeOf(step)
    if (!ACTUAL_BY_MODE.has(mode)) return { mode }
    return { mode, ...differencesOf(library, compareStep, conformanceCase, step, memory) }
  })
}

function skip(skipped, { name }, mode) {
  skipped.cases.add(name)
  skipped.steps++
  skipped.modes.add(mode)
}

function tallyOf(tallies, title) {
  const known = tallies.get(title)
  if (known !== undefined) return known
  const tally = { cases: new Set(), steps: 0, agreeing: 0, verified: 0, differences: [] }
  tallies.set(title, tally)
  return tally
}

function differencesOf(library, compareStep, conformanceCase, step, memory) {
  try {
    const { actual, problems, drift } = actualOf(library, conformanceCase, step, memory)
    return { differences: [...differencesFrom(step, actual, compareStep), ...problems], drift }
  } catch (error) {
    return { differences: [`threw ${error instanceof Error ? error.stack : error}`], drift: ['not verified'] }
  }
}

/**
 * Returns the differences from the nearest expected outcome. If kube-proxy chooses at random, the case lists every
 * observed outcome.
 */
function differencesFrom({ expected, expectedOneOf = [expected] }, actual, compareStep) {
  const found = expectedOneOf.map((one) => compareStep(one, actual))
  return found.reduce((best, each) => (each.length < best.length ? each : best))
}
