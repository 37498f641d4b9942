// A process that runs tests on sources with one mutant. test-runner.mjs starts it, and can kill it if the mutant never
// ends. Vite loads the mutant in place of the file, so that no file changes.
import { join, relative } from 'node:path'
import { createVitest } from 'vitest/node'

const [root] = process.argv.slice(2)
const FIRST_FAILURE = 'first-failure.mjs'

/** The mutated source: `{ file, text }`. */
let mutant

const mutantyFiles = {
  name: 'mutants',
  enforce: 'pre',
  load(id) {
    if (id === mutant?.file) return mutant.text
    return id.endsWith(FIRST_FAILURE) ? SET_UP : undefined
  },
}

/** The setup of each test: a property test stops at the first failing input, without shrinking. */
const SET_UP = `import fc from 'fast-check'
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })`

function projectOf(name, set) {
  return {
    extends: join(root, `vitest.${name}.config.ts`),
    root,
    plugins: [mutantyFiles],
    test: { ...set, testTimeout: 0, setupFiles: [SEED, join(root, 'packages/compiler', FIRST_FAILURE)] },
  }
}

const SEED = join(root, 'packages/compiler/test/support/seed.ts')

// The library is pure, so tests in the same process are independent.
const pool = { pool: 'threads', isolate: false }

class AsGiven {
  shard(files) {
    return files
  }
  sort(files) {
    return files
  }
}

const nameOf = ({ moduleId }) => relative(root, moduleId)

const vitest = await createVitest('test', {
  root,
  config: false,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  fileParallelism: false,
  sequence: { sequencer: AsGiven },
  ...pool,
  projects: [projectOf('packages', pool), projectOf('replaced', { ...pool, isolate: true })],
  reporters: [
    {
      onTestCaseResult: () => process.send({ alive: true }),
      onTestModuleEnd: (module) => process.send({ alive: true, ...(resultOf(module) ?? {}) }),
    },
  ],
})
const specifications = new Map((await vitest.globTestSpecifications()).map((one) => [nameOf(one), one]))

function resultOf(module) {
  if (module.state() === 'skipped') return undefined
  const { duration, collectDuration } = module.diagnostic()
  const failed = [...module.children.allTests('failed')][0]
  const [error] = failed?.result().errors ?? module.errors()
  return {
    test: nameOf(module),
    found: module.state() === 'failed',
    name: failed?.fullName ?? 'cannot be loaded',
    message: String(error?.message ?? '').split('\n')[0],
    seconds: (duration + collectDuration) / 1000,
  }
}

function put(next) {
  for (const file of [mutant?.file, next?.file]) if (file !== undefined) vitest.invalidateFile(file)
  mutant = next
}

async function run({ tests, file, text }) {
  put(file === undefined ? undefined : { file: join(root, file), text })
  const chosen = tests.map((test) => specifications.get(test)).filter((found) => found !== undefined)
  const { unhandledErrors } = await vitest.runTestSpecifications(chosen, false)
  process.send({ done: true, unhandled: unhandledErrors.length })
}

process.on('disconnect', () => process.exit())
process.on('message', run)
process.send({ ready: true })
