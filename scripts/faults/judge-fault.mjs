/** Tests that are asked before the type checker: those that find most. */
const FIRST_TESTS = 12

/**
 * What finds a fault: `by` 'tests' or 'time' with the `test`, 'types', or 'survived'. Types are checked after the tests that
 * are likely to find it and before the others, which take longer.
 */
export async function judgeFault(fault, tools) {
  const tests = tools.order.testsFor(fault.file)
  const early = await askTests(fault, tests.slice(0, FIRST_TESTS), tools)
  if (early !== undefined) return early
  if (!tools.types.accepts(fault)) return { by: 'types' }
  return (await askTests(fault, tests.slice(FIRST_TESTS), tools)) ?? { by: 'survived' }
}

/** The first of the tests that fails with the fault and without it passes. */
async function askTests({ file, text }, tests, tools) {
  if (tests.length === 0) return undefined
  const { results, timedOut } = await tools.runner.run({ tests, file, text })
  for (const result of results) {
    tools.order.record(result.test, result)
    if (!result.found) tools.passing.add(result.test)
  }
  if (timedOut) return { by: 'time', test: tests[results.length] }
  const last = results.at(-1)
  if (last?.found !== true) return undefined
  if (await passesOtherwise(last.test, tools)) return { by: 'tests', test: `${last.test} > ${last.name}` }
  throw new Error(`${last.test} fails without any fault: ${last.name}: ${last.message}`)
}

async function passesOtherwise(test, { runner, passing }) {
  if (passing.has(test)) return true
  const { results, timedOut } = await runner.run({ tests: [test] })
  if (timedOut || results.some(({ found }) => found)) return false
  passing.add(test)
  return true
}
