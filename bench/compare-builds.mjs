// Compares the speed of this build with that of another one, in turns, and prints ratios: below 1 this build is faster.
//
//   node bench/compare-builds.mjs [FOLDER] [--size NAME …] [--rounds 5] [--limit 1.3]
//
// FOLDER is another checkout with its build. Default: the last release, which is built in a temporary folder. Times are
// noisy, so the exit code is 1 only if the ratio is above the limit three times in a row.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { formatTable } from './format-table.mjs'

const { values, positionals } = parseArgs({
  options: {
    size: { type: 'string', multiple: true, default: ['10 x 10', '1,000 x 10', 'mixed 100 x 10'] },
    rounds: { type: 'string', default: '5' },
    limit: { type: 'string', default: '1.3' },
  },
  allowPositionals: true,
})
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ATTEMPTS = 3

const [folder] = positionals
if (folder !== undefined) process.exitCode = compareWith(resolve(folder))
else withLastRelease(compareWith)

function withLastRelease(compare) {
  const { status, stdout } = spawnSync('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) return console.log('there is no release yet: speed is not compared')
  const release = stdout.trim()
  const checkout = mkdtempSync(join(tmpdir(), 'kube-rules-release-'))
  const run = (command, ...args) =>
    execFileSync(command, args, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    execFileSync('git', ['clone', '--quiet', '--shared', '--branch', release, ROOT, checkout], { stdio: 'inherit' })
    run('npx', '-y', 'pnpm@10.34.9', 'install', '--frozen-lockfile', '--prefer-offline')
    run('npx', '-y', 'pnpm@10.34.9', 'build')
    console.log(`compared with ${release}`)
    process.exitCode = compare(checkout)
  } finally {
    rmSync(checkout, { recursive: true })
  }
}

function compareWith(other) {
  for (let attempt = 1; ; attempt++) {
    const rows = values.size.map((name) => ({ name, ...ratiosOf(other, name) }))
    const format = (value) => value.toFixed(2)
    const table = rows.map(({ name, cold, warm, memory }) => [name, ...[cold, warm, memory].map(format)])
    console.log(formatTable([['ratio of', 'cold', 'warm', 'peak memory'], ...table], 1))
    if (rows.every(({ cold, warm }) => Math.max(cold, warm) <= Number(values.limit))) return 0
    if (attempt === ATTEMPTS) return 1
  }
}

function ratiosOf(other, name) {
  const [own, others] = [[], []]
  for (let round = 0; round < Number(values.rounds); round++) {
    own.push(figuresOf(ROOT, name))
    others.push(figuresOf(other, name))
  }
  const ratio = (figure) => median(own.map(figure)) / median(others.map(figure))
  return {
    cold: ratio(({ coldCompileMs, coldPrintMs }) => coldCompileMs + coldPrintMs),
    warm: ratio(({ warmCompileMs, warmPrintMs }) => warmCompileMs + warmPrintMs),
    memory: ratio(({ peakRssBytes }) => peakRssBytes),
  }
}

function figuresOf(checkout, name) {
  const args = ['--expose-gc', join(checkout, 'bench/run-size.mjs'), name, 'iptables']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`bench of ${name} failed\n${stderr}`)
  return JSON.parse(stdout)
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
