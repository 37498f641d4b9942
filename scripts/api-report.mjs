// Writes etc/<entry point>.api.md: the public API of the built packages as text, for review with each change. With
// --check it writes nothing, and the exit code is 1 if a report differs from etc/. It also checks that the package's
// entry points export every type that an entry point uses, and that everything in a report has a docstring.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { ENTRY_POINTS } from './api/entry-points.mjs'
import { findUndocumented } from './api/find-undocumented.mjs'

/** The packages whose roots are limited in the number of functions. There are as many types as these use. */
const ROOTS = ['types', 'compiler', 'analyzer', 'proxy-kit']
const MAXIMUM_AT_ROOT = 30

/**
 * Reports that also contain types that fields and unions use but no entry point exports, each in the report of its
 * subject.
 */
const SHOWS_HIDDEN_TYPES = [
  'types',
  ...['plan', 'iptables', 'ipset', 'ipvs', 'nftables'].map((subpath) => `compiler-${subpath}`),
]

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
/** The types that an entry point uses without exporting them, by package folder. */
const spokenOf = new Map()
const temporary = mkdtempSync(join(tmpdir(), 'api-report-'))
if (!values.check) mkdirSync(join(root, 'etc'), { recursive: true })

try {
  const drifted = ENTRY_POINTS.filter((entry) => !reportOf(entry)).map(({ report }) => `etc/${report}.api.md`)
  const problems = [...hiddenTypes(), ...largeRoots(), ...undocumented()]
  for (const line of problems) console.error(`api: ${line}`)
  if (drifted.length > 0)
    console.error(`api: ${drifted.join(', ')} out of date or faulty; run \`pnpm api\`, review, commit`)
  else console.log(`api: ${ENTRY_POINTS.length} reports ${values.check ? 'match' : 'written'}`)
  process.exitCode = drifted.length + problems.length > 0 ? 1 : 0
} finally {
  rmSync(temporary, { recursive: true })
}

/** Writes or checks one report. Returns whether it succeeded. */
function reportOf(entry) {
  const config = ExtractorConfig.prepare({
    configObject: configurationOf(entry),
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, entry.folder, 'package.json'),
  })
  const result = Extractor.invoke(config, {
    localBuild: !values.check,
    messageCallback: (message) => handle(message, entry.folder),
  })
  return result.errorCount === 0 && !(values.check && result.apiReportChanged)
}

/**
 * Returns the types of parameters and results of functions that no entry point of the package exports. A type of a
 * field or of a union needs no name: `CompileInput['services']`, `MatchOf<'destination'>`.
 */
function hiddenTypes() {
  return [...new Set(ENTRY_POINTS.map(({ folder }) => folder))].flatMap((folder) => {
    const own = ENTRY_POINTS.filter((entry) => entry.folder === folder)
    const exported = new Set(own.flatMap(exportsOf))
    const inSignatures = new Set(own.flatMap(signaturesOf).flatMap((signature) => signature.match(/\w+/g)))
    const missing = [...(spokenOf.get(folder) ?? [])].filter((name) => inSignatures.has(name) && !exported.has(name))
    return missing.sort().map((name) => `no entry point of ${folder} exports ${name}`)
  })
}

/** Returns the roots that export too many functions. */
function largeRoots() {
  return ENTRY_POINTS.filter(({ report }) => ROOTS.includes(report))
    .map((entry) => ({ report: entry.report, count: signaturesOf(entry).length }))
    .filter(({ count }) => count > MAXIMUM_AT_ROOT)
    .map(({ report, count }) => `${report} exports ${count} functions (expected at most ${MAXIMUM_AT_ROOT})`)
}

/** Returns the declarations without a docstring. */
function undocumented() {
  return ENTRY_POINTS.flatMap(({ report }) =>
    findUndocumented(readReport(report)).map(
      ({ line, declaration }) => `etc/${report}.api.md:${line} has no docstring: ${declaration}`,
    ),
  )
}

function signaturesOf({ report }) {
  return readReport(report).match(/^export function .*$/gm) ?? []
}

/** Returns the names that an entry point exports, including re-exports from other packages. */
function exportsOf({ report }) {
  const declared = /^export (?:declare )?(?:abstract )?(?:const|function|interface|type|class|enum) (\w+)/gm
  const again = /^export \{ (\w+) \}/gm
  return [declared, again].flatMap((pattern) => Array.from(readReport(report).matchAll(pattern), ([, name]) => name))
}

function readReport(report) {
  return readFileSync(join(root, 'etc', `${report}.api.md`), 'utf8')
}

function configurationOf({ report, folder, declarations }) {
  return {
    projectFolder: join(root, folder),
    mainEntryPointFilePath: `<projectFolder>/${declarations}`,
    newlineKind: 'lf',
    compiler: { overrideTsconfig: { compilerOptions: compilerOptions(), include: [declarations] } },
    apiReport: {
      enabled: true,
      reportFileName: `${report}.api.md`,
      reportFolder: join(root, 'etc'),
      reportTempFolder: temporary,
      includeForgottenExports: SHOWS_HIDDEN_TYPES.includes(report),
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      extractorMessageReporting: {
        default: { logLevel: 'error' },
        // All exports of an entry point are public.
        'ae-missing-release-tag': { logLevel: 'none' },
        // The function `undocumented` reports declarations without a docstring, with their lines in the reports.
        'ae-undocumented': { logLevel: 'none' },
        'ae-unresolved-link': { logLevel: 'none' },
      },
      tsdocMessageReporting: { default: { logLevel: 'none' } },
    },
  }
}

function compilerOptions() {
  return {
    target: 'ES2022',
    lib: ['ES2022'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    types: [],
    strict: true,
    skipLibCheck: true,
  }
}

/** Suppresses all messages except problems; the summary at the end reports written and differing reports. */
function handle(message, folder) {
  message.handled = true
  if (message.messageId === 'ae-forgotten-export') {
    const name = /"(\w+)"/.exec(message.text)?.[1]
    spokenOf.set(folder, (spokenOf.get(folder) ?? new Set()).add(name))
    message.logLevel = 'none'
    return
  }
  if (message.messageId.startsWith('console-api-report-')) return
  if (message.logLevel === 'error' || message.logLevel === 'warning')
    console.error(`api: ${message.formatMessageWithLocation(root)}`)
}
