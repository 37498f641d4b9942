/**
 * Finds the first check that detects a mutant: `by` is 'tests' or 'time' with the `test`, 'types', or 'survived'. The
 * type check runs after the quick tests and before the property tests, which `quick` excludes.
 *
 * `tools.broken` collects tests that also fail without the mutant; they do not run again.
 */
export async function judgeMutant(mutant, tools) {
  const { first, rest } = tools.order.testsFor(mutant.file)
  const early = await askTests(mutant, first, tools)
  if (early !== undefined) return early
  if (!tools.types.accepts(mutant)) return { by: 'types' }
  return (tools.quick ? undefined : await askTests(mutant, rest, tools)) ?? { by: 'survived' }
}

/** Returns the first test that fails with the mutant and passes without it. */
async function askTests(mutant, given, tools) {
  const tests = given.filter((test) => !tools.broken.has(test))
  if (tests.length === 0) return undefined
  const { results, timedOut } = await tools.runner.run({ tests, file: mutant.file, text: mutant.text })
  for (const result of results) {
    tools.order.record(result.test, result)
    if (!result.found) tools.passing.add(result.test)
  }
  if (timedOut) return { by: 'time', test: tests[results.length] }
  const last = results.at(-1)
  if (last?.found !== true) return undefined
  const finds = !isDeadline(last) && (await passesOtherwise(last.test, tools))
  if (finds) return { by: 'tests', test: `${last.test} > ${last.name}` }
  return askTests(mutant, tests.slice(tests.indexOf(last.test) + 1), tools)
}

async function passesOtherwise(test, { runner, passing, broken }) {
  if (passing.has(test)) return true
  const { results, timedOut } = await runner.run({ tests: [test] })
  const unmatched = !timedOut && results.every(({ found }) => !found)
  if (unmatched) passing.add(test)
  else broken.add(test)
  return unmatched
}

/** A timeout of the test itself indicates a slow machine rather than a mutant. */
const isDeadline = ({ message }) => message.startsWith('Test timed out in')
