// Coverage-guided fuzzing of the dump readers and of `compile`: `node scripts/fuzz.mjs [--seconds 20] [--seed 1] [--keep]`.
//
// Texts of the corpus are mutated. A text that runs a new block of our code joins the corpus of this run; with `--keep`
// it is also written to scripts/fuzz/corpus. Fails if a reader throws, or if `print` cannot print a dump that was read,
// or its text does not survive another read and print.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutated, randomOf } from './fuzz/mutate.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
})
const ROOT = new URL('../packages/', import.meta.url)
const CORPUS = new URL('fuzz/corpus/', import.meta.url)
const { parseDump } = await import(new URL('analyzer/dist/index.js', ROOT).href)
const { compile, print, DiagnosticsError } = await import(new URL('compiler/dist/index.js', ROOT).href)

/** The targets by name: each processes one text, and throws on a failure. */
const TARGETS = { dump: runDump, paste: runPaste, compile: runCompile }

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true })

/** The code blocks that were executed so far. */
const seen = new Set()
const random = randomOf(Number(values.seed))
const faults = []
const counts = {}
const perTarget = (Number(values.seconds) * 1000) / Object.keys(TARGETS).length
for (const [target, run] of Object.entries(TARGETS)) counts[target] = await fuzz(target, run)
for (const [target, { executions, kept, added, blocks }] of Object.entries(counts))
  console.log(`${target}: ${executions} executions, corpus of ${kept}, ${added} new texts, ${blocks} new blocks`)
for (const { target, text, error } of faults)
  console.log(`${target}: ${error?.stack ?? error}\n  with ${JSON.stringify(text.slice(0, 2000))}`)
process.exitCode = faults.length > 0 ? 1 : 0

async function fuzz(target, run) {
  const folder = new URL(`${target}/`, CORPUS)
  const seeds = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const corpus = [...seeds]
  let executions = 0
  let blocks = 0
  for (const text of seeds) attempt(target, run, text)
  blocks += await newBlocks()
  const end = performance.now() + perTarget
  while (performance.now() < end && faults.length < 5) {
    const text = mutated(corpus[random(corpus.length)], corpus, random)
    executions++
    attempt(target, run, text)
    const found = await newBlocks()
    if (found === 0) continue
    blocks += found
    corpus.push(text)
    if (values.keep) keep(folder, text)
  }
  return { executions, kept: corpus.length, added: corpus.length - seeds.length, blocks }
}

function attempt(target, run, text) {
  try {
    run(text)
  } catch (error) {
    faults.push({ target, text, error })
  }
}

/** Returns the number of code blocks of this repository that were executed for the first time. */
async function newBlocks() {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const before = seen.size
  for (const { url, functions } of result) {
    if (!url.startsWith(ROOT.href)) continue
    for (const { ranges } of functions)
      for (const { startOffset, endOffset, count } of ranges)
        if (count > 0) seen.add(`${url} ${startOffset} ${endOffset}`)
  }
  return seen.size - before
}

function keep(folder, text) {
  mkdirSync(folder, { recursive: true })
  const name = createHash('sha256').update(text).digest('hex').slice(0, 12)
  writeFileSync(fileURLToPath(new URL(`${name}.txt`, folder)), text)
}

function runDump(text) {
  const { ok, value } = parseDump(text)
  if (ok) printAgain(value)
}

function runPaste(text) {
  const { value } = parseDump(text, { lenient: true })
  for (const family of ['IPv4', 'IPv6']) printAll(value?.[family] ?? {})
}

/** Prints a dump, reads the text, and prints it again: each text must be readable, and the last two must be equal. */
function printAgain(dump) {
  for (const family of ['IPv4', 'IPv6']) {
    for (const [subsystem, text] of printAll(dump[family])) {
      // As in nft, merged intervals are listed as one value only after the listing was loaded once.
      const second = reprinted(text, subsystem, family)
      if (reprinted(second, subsystem, family) !== second) throw new Error(`print(${subsystem}) does not end`)
    }
  }
}

function reprinted(text, subsystem, family) {
  const { ok, value, problems } = parseDump(text, { family })
  if (!ok) throw new Error(`print(${subsystem}) is not accepted: ${JSON.stringify(problems[0])}`)
  return print({ family, [subsystem]: value[family][subsystem] }, { subsystem, format: 'save' })
}

function printAll(state) {
  return Object.keys(state)
    .filter((subsystem) => ['iptables', 'ipset', 'ipvs', 'nftables'].includes(subsystem))
    .flatMap((subsystem) => {
      try {
        return [[subsystem, print(state, { subsystem, format: 'save' })]]
      } catch (error) {
        // Some statements of other programs have no text form.
        if (/only the JSON of nft has it/.test(error?.message)) return []
        throw error
      }
    })
}

function runCompile(text) {
  let input
  try {
    input = JSON.parse(text)
  } catch {
    return
  }
  for (const mode of ['iptables', 'ipvs', 'nftables']) {
    try {
      const { families } = compile(input, { mode, nodeName: 'node-1' })
      for (const { state } of families) printAll(state)
    } catch (error) {
      if (!(error instanceof DiagnosticsError) && error?.name !== 'DiagnosticsError') throw error
    }
  }
}
