// Writes etc/<entry point>.api.md: the public API of the built packages as text, to be reviewed with each change.
// With --check nothing is written, and the exit code is 1 where a report differs from what is in etc/.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'

const ENTRY_POINTS = [
  { report: 'types', folder: 'packages/types', declarations: 'dist/index.d.ts' },
  // Its types are those of the entry point above.
  { report: 'types-schema', folder: 'packages/types', declarations: 'dist/schema/index.d.ts', typesElsewhere: true },
  { report: 'compiler', folder: 'packages/compiler', declarations: 'dist/index.d.ts' },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const temporary = mkdtempSync(join(tmpdir(), 'api-report-'))
if (!values.check) mkdirSync(join(root, 'etc'), { recursive: true })

try {
  const drifted = ENTRY_POINTS.filter((entry) => !reportOf(entry)).map(({ report }) => `etc/${report}.api.md`)
  if (drifted.length > 0)
    console.error(`api: ${drifted.join(', ')} out of date or faulty; run \`pnpm api\`, review, commit`)
  else console.log(`api: ${ENTRY_POINTS.length} reports ${values.check ? 'match' : 'written'}`)
  process.exitCode = drifted.length > 0 ? 1 : 0
} finally {
  rmSync(temporary, { recursive: true })
}

/** Writes or checks one report. Returns whether all is well. */
function reportOf(entry) {
  const config = ExtractorConfig.prepare({
    configObject: configurationOf(entry),
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, entry.folder, 'package.json'),
  })
  const result = Extractor.invoke(config, { localBuild: !values.check, messageCallback: printProblem })
  return result.errorCount === 0 && !(values.check && result.apiReportChanged)
}

function configurationOf({ report, folder, declarations, typesElsewhere = false }) {
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
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      extractorMessageReporting: {
        default: { logLevel: 'error' },
        // What an entry point exports is public, and its documentation is reviewed with the code.
        'ae-missing-release-tag': { logLevel: 'none' },
        'ae-undocumented': { logLevel: 'none' },
        'ae-unresolved-link': { logLevel: 'none' },
        ...(typesElsewhere ? { 'ae-forgotten-export': { logLevel: 'none' } } : {}),
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

/** Keeps the run quiet but for problems; that a report was written or differs is said at the end. */
function printProblem(message) {
  message.handled = true
  if (message.messageId.startsWith('console-api-report-')) return
  if (message.logLevel === 'error' || message.logLevel === 'warning')
    console.error(`api: ${message.formatMessageWithLocation(root)}`)
}
