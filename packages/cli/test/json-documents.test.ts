import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { run } from './support/run.js'

// The output of the command with `-o json` must match the published schema, without additional fields.

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url))
const SCHEMAS = fileURLToPath(new URL('../schemas/', import.meta.url))
const MODES = ['iptables', 'ipvs', 'nftables', 'userspace']

/** Rejects fields without a description, which the published schemas allow: a later release may add some. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const fields = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  const isObject = 'properties' in fields && fields.additionalProperties === undefined
  return isObject || fields.additionalProperties === true ? { ...fields, additionalProperties: false } : fields
}

const validators = new Map(
  readdirSync(SCHEMAS).map((file) => {
    const schema = JSON.parse(readFileSync(SCHEMAS + file, 'utf8'))
    return [
      file.replace('.schema.json', ''),
      new Ajv({ allErrors: true, strict: false }).compile(closed(schema) as object),
    ]
  }),
)

function problemsOf(name: string, stdout: string): unknown {
  const validate = validators.get(name)
  if (validate === undefined) throw new Error(`no schema ${name}`)
  return validate(JSON.parse(stdout)) ? [] : validate.errors
}

const filesOf = (folder: string) => ({
  'cluster.yaml': readFileSync(`${FIXTURES}${folder}/cluster.yaml`, 'utf8'),
  'host.yaml': 'nfacctCounters: true\n',
})

describe.each(['every-frontend', 'dual-stack', 'seed-saythx-redis'])('JSON documents for fixtures/%s', (folder) => {
  const files = filesOf(folder)
  const objects = ['-f', 'cluster.yaml', '--host', 'host.yaml']

  it.each(MODES)('match their schemas in %s mode', async (mode) => {
    const options = [...objects, '--mode', mode, '-o', 'json']
    const printed = await run(['print', ...options], { files })
    expect(problemsOf('print', printed.stdout)).toEqual([])
    const all = await run(['explain', '--all', ...options], { files })
    expect(problemsOf('reachability', all.stdout)).toEqual([])
    const checked = await run(['doctor', ...options], { files })
    expect(problemsOf('doctor', checked.stdout)).toEqual([])
    const proven = await run(['prove', ...options], { files })
    expect(problemsOf('prove', proven.stdout)).toEqual([])
  })

  it('match the schema of compare, between modes and between versions', async () => {
    for (const sides of [
      ['--modes', 'iptables,ipvs'],
      ['--modes', 'iptables,nftables', '--unexpected'],
      ['--kubernetes-versions', '1.24,1.34'],
    ]) {
      const { stdout } = await run(['compare', ...objects, ...sides, '-o', 'json'], { files })
      expect(problemsOf('compare', stdout), sides.join(' ')).toEqual([])
    }
  })

  it('match the schemas of diff, with and without --traffic', async () => {
    const both = {
      'cluster.yaml': files['cluster.yaml'],
      'old.yaml': files['cluster.yaml'].replace('port: 80', 'port: 81'),
    }
    const commands = await run(['diff', 'old.yaml', 'cluster.yaml', '-o', 'json'], { files: both })
    expect(problemsOf('diff', commands.stdout)).toEqual([])
    const traffic = await run(['diff', 'old.yaml', 'cluster.yaml', '--traffic', '-o', 'json'], { files: both })
    expect(problemsOf('compare', traffic.stdout)).toEqual([])
  })

  it('match the schema of verify, with and without drift', async () => {
    const { stdout: saved } = await run(
      ['print', ...objects, '--mode', 'iptables', '--format', 'save', '--family', '4'],
      { files },
    )
    for (const dump of [saved, saved.replace(/^-A KUBE-SERVICES .*\n/m, '')]) {
      const args = ['verify', ...objects, '--mode', 'iptables', '--dump', 'node.dump', '-o', 'json']
      const { stdout } = await run(args, { files: { ...files, 'node.dump': dump } })
      expect(problemsOf('verify', stdout)).toEqual([])
    }
  })
})

it('JSON document of explain with diagnoses matches its schema', async () => {
  const files = filesOf('every-frontend')
  for (const destination of ['172.30.0.41:80', '192.168.0.2:3001', '172.30.0.99:80']) {
    const { stdout } = await run(['explain', destination, '-f', 'cluster.yaml', '-o', 'json'], { files })
    expect(problemsOf('explain', stdout), destination).toEqual([])
  }
})

it('JSON document with another schemaVersion matches no schema', () => {
  expect(problemsOf('print', '{"schemaVersion":2}')).toEqual(
    expect.arrayContaining([expect.objectContaining({ instancePath: '/schemaVersion', keyword: 'const' })]),
  )
})

it('JSON document of a kind matches the schema with the name of the kind, and no other', async () => {
  const files = filesOf('every-frontend')
  const documents = [
    await run(['print', '-f', 'cluster.yaml', '-o', 'json'], { files }),
    await run(['explain', '--all', '-f', 'cluster.yaml', '-o', 'json'], { files }),
    await run(['diff', 'cluster.yaml', 'cluster.yaml', '--traffic', '-o', 'json'], { files }),
  ].map(({ stdout }) => stdout)
  const kinds = documents.map((document) => JSON.parse(document).kind)
  expect(kinds).toEqual(['print', 'reachability', 'compare'])
  const matches = documents.map((document) =>
    [...validators.keys()].filter((name) => (problemsOf(name, document) as unknown[]).length === 0),
  )
  expect(matches).toEqual([['print'], ['reachability'], ['compare']])
})
