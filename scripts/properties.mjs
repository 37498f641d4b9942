// Runs every property test file once for each seed, and reports the passing seeds. Most tests run three to ten times as
// many cases as in the test command; with --quick the same number. `random` is a new seed each time, `commit` a seed of its
// own for each commit, so that a failure can be repeated before and after a push:
//
// node scripts/properties.mjs [--seeds 1-50,77,random,commit] [--quick] [PART_OF_A_FILE_NAME...]
//
// Exit code 1 if one fails. To repeat a failure: KUBE_RULES_PROPERTIES=whole FAST_CHECK_SEED=SEED pnpm test FILE, without
// KUBE_RULES_PROPERTIES after --quick. Only such a run searches for a small example of the failure.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: 'string', default: '1-5' }, quick: { type: 'boolean', default: false } },
})

/** The number of seeds of one process, which loads its modules once. */
const SEEDS_PER_PROCESS = 10

/** Returns a number above 1 that depends on the checked-out commit only. */
function seedOfCommit() {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return 2 + Number.parseInt(stdout.slice(0, 7), 16)
}

/** Parses `1-3,7` as 1, 2, 3, 7. */
function seedsOf(text) {
  return text.split(',').flatMap((range) => {
    if (range === 'random') return [randomInt(2, 2 ** 31)]
    if (range === 'commit') return [seedOfCommit()]
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? []
    if (first === undefined || Number(last) < Number(first))
      throw new Error(`--seeds is ${text}; expected 1-50,77,random,commit`)
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index)
  })
}

/** Returns the names of the tests that fail, or of the files that fail to load. */
function failuresOf(seeds, files, output) {
  if (files.length === 0) return []
  const reporters = ['--reporter=json', `--outputFile=${output}`]
  const seedVariable = Array.isArray(seeds) ? { KUBE_RULES_SEEDS: seeds.join() } : { FAST_CHECK_SEED: String(seeds) }
  const { stderr } = spawnSync('npx', ['vitest', 'run', '--project', '!real-*', ...reporters, ...files], {
    cwd: root,
    env: {
      ...process.env,
      ...seedVariable,
      FAST_CHECK_SHRINK: 'no',
      KUBE_RULES_PROPERTIES: values.quick ? '' : 'whole',
    },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const { success, testResults } = readResults(output) ?? { success: false, testResults: [] }
  const failed = testResults.flatMap(({ name, status, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName)
    const file = name.slice(root.length)
    return tests.length > 0 || status !== 'failed'
      ? tests.map((test) => ({ file, test }))
      : [{ file, test: 'not loaded' }]
  })
  return success || failed.length > 0 ? failed : [{ file: 'vitest', test: stderr.trim() }]
}

function readResults(output) {
  try {
    return JSON.parse(readFileSync(output, 'utf8'))
  } catch {
    return undefined
  } finally {
    rmSync(output, { force: true })
  }
}

/** Returns the failures of each seed. A test that belongs to no seed counts for all of them. */
function failuresBySeed(seeds, files, output) {
  const together = failuresOf(
    seeds,
    files.filter((file) => !replacesModules(file)),
    output,
  )
  const own = files.filter(replacesModules)
  return seeds.map((seed) => {
    const shared = together.flatMap(({ file, test }) => {
      const [, of, name] = /^seed (\d+) (.*)$/s.exec(test) ?? [undefined, String(seed), test]
      return of === String(seed) ? [`${file}: ${name}`] : []
    })
    return { seed, failures: [...shared, ...failuresOf(seed, own, output).map(({ file, test }) => `${file}: ${test}`)] }
  })
}

/** Reports whether the tests of a file replace modules, which is possible only once in a process. */
function replacesModules(file) {
  return readFileSync(join(root, file), 'utf8').includes('vi.mock(')
}

/** Returns the test files that import fast-check, except kernel tests. */
function propertyFiles() {
  return readdirSync(join(root, 'packages'))
    .flatMap((name) => {
      const folder = join('packages', name, 'test')
      return readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file))
    })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('/kernel/'))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes("from 'fast-check'"))
    .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
    .sort()
}

const files = propertyFiles()
if (files.length === 0) throw new Error(`no property test file is called ${positionals.join(' or ')}`)
const seeds = seedsOf(values.seeds)
const folder = mkdtempSync(join(tmpdir(), 'kube-rules-properties-'))
const red = []
try {
  console.log(`${files.length} files, seeds ${seeds.join(', ')}`)
  for (let first = 0; first < seeds.length; first += SEEDS_PER_PROCESS) {
    const some = seeds.slice(first, first + SEEDS_PER_PROCESS)
    const start = performance.now()
    for (const { seed, failures } of failuresBySeed(some, files, join(folder, 'results.json'))) {
      console.log(`seed ${seed}: ${failures.length === 0 ? 'green' : 'RED'}`)
      for (const failure of failures) console.log(`  ${failure}`)
      if (failures.length > 0) red.push(seed)
    }
    console.log(`${some.length} seeds, ${Math.round((performance.now() - start) / 1000)} s`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
console.log(
  `${seeds.length - red.length} of ${seeds.length} seeds green${red.length > 0 ? `; red: ${red.join(', ')}` : ''}`,
)
if (red.length > 0) process.exitCode = 1
