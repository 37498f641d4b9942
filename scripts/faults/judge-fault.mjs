/**
 * What finds a fault: `by` 'tests' or 'time' with the `test`, 'types', or 'survived'. Types are checked after the tests that
 * are quick and before those that run generated cases, which `quick` leaves out.
 *
 * `tools.broken` gets the tests that fail without any fault, too; these are not asked again.
 */
export async function judgeFault(fault, tools) {
  const { first, rest } = tools.order.testsFor(fault.file)
  const early = await askTests(fault, first, tools)
  if (early !== undefined) return early
  if (!tools.types.accepts(fault)) return { by: 'types' }
  return (tools.quick ? undefined : await askTests(fault, rest, tools)) ?? { by: 'survived' }
}

/** The first of the tests that fails with the fault and passes without it. */
async function askTests(fault, given, tools) {
  const tests = given.filter((test) => !tools.broken.has(test))
  if (tests.length === 0) return undefined
  const { results, timedOut } = await tools.runner.run({ tests, file: fault.file, text: fault.text })
  for (const result of results) {
    tools.order.record(result.test, result)
    if (!result.found) tools.passing.add(result.test)
  }
  if (timedOut) return { by: 'time', test: tests[results.length] }
  const last = results.at(-1)
  if (last?.found !== true) return undefined
  const finds = !isDeadline(last) && (await passesOtherwise(last.test, tools))
  if (finds) return { by: 'tests', test: `${last.test} > ${last.name}` }
  return askTests(fault, tests.slice(tests.indexOf(last.test) + 1), tools)
}

async function passesOtherwise(test, { runner, passing, broken }) {
  if (passing.has(test)) return true
  const { results, timedOut } = await runner.run({ tests: [test] })
  const passes = !timedOut && results.every(({ found }) => !found)
  if (passes) passing.add(test)
  else broken.add(test)
  return passes
}

/** A deadline that a test sets itself says more of the machine than of the fault. */
const isDeadline = ({ message }) => message.startsWith('Test timed out in')
