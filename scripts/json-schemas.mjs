// Generates the JSON Schemas of the documents that the command prints with `-o json`, from the types in
// packages/application/src/documents.ts: `node scripts/json-schemas.mjs [--check]`. With `--check` it compares them with
// packages/cli/schemas instead, and exits with 1 if one differs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createGenerator } from 'ts-json-schema-generator'

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = `${ROOT}packages/cli/schemas/`
/** The address that identifies a schema. */
const BASE = 'https://github.com/kube-rules/kube-rules/raw/main/packages/cli/schemas/'
const DOCUMENTS = {
  print: 'PrintDocument',
  diff: 'DiffDocument',
  verify: 'VerifyDocument',
  explain: 'ExplainDocument',
  reachability: 'ReachabilityDocument',
  doctor: 'DoctorDocument',
  compare: 'CompareDocument',
  prove: 'ProveDocument',
}

const generator = createGenerator({
  path: `${ROOT}packages/application/dist/documents.d.ts`,
  tsconfig: `${ROOT}scripts/json-schemas.tsconfig.json`,
  // Fields may be added within a version.
  additionalProperties: true,
  topRef: false,
})
const stale = []
mkdirSync(FOLDER, { recursive: true })
for (const [name, type] of Object.entries(DOCUMENTS)) {
  const { $schema, ...content } = generator.createSchema(type)
  const schema = { $schema, $id: `${BASE}${name}.schema.json`, title: `kube-rules ${name} -o json`, ...content }
  const text = `${JSON.stringify(schema, null, 2)}\n`
  const file = `${FOLDER}${name}.schema.json`
  if (!values.check) writeFileSync(file, text)
  else if (readOrEmpty(file) !== text) stale.push(name)
}
if (stale.length > 0) console.log(`stale: ${stale.join(', ')}; run pnpm schemas and review the change`)
else console.log(`schemas: ${Object.keys(DOCUMENTS).length} match`)
process.exitCode = stale.length > 0 ? 1 : 0

function readOrEmpty(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
