import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../compiler/test/support/any-text.js'
import { runs } from '../../compiler/test/support/runs.js'
import { clusterJson, listJson, service, slice } from './support/objects.js'
import { type Outcome, run } from './support/run.js'

const kinds = fc.constantFrom('Service', 'EndpointSlice', 'Endpoints', 'Node', 'KubeProxyConfiguration', 'ConfigMap')
const values = fc.oneof(fc.jsonValue(), fc.string(), fc.nat(), fc.constantFrom('10.0.0.1', 'fd00::1', 'None', 'TCP'))
const objects = fc.record({
  kind: kinds,
  metadata: fc.oneof(fc.record({ name: fc.string(), namespace: fc.string() }), values),
  spec: fc.oneof(fc.record({ clusterIP: values, ports: fc.oneof(fc.array(values), values) }), values),
  endpoints: values,
  addressType: values,
  subsets: values,
  status: values,
  data: fc.oneof(fc.record({ 'config.conf': fc.string().map((text) => `KubeProxyConfiguration${text}`) }), values),
  mode: values,
})

const clusterServices = [
  service('a', ['10.0.0.1']),
  slice('a', '10.1.0.1'),
  slice('a', '10.1.0.2'),
  service('b', ['10.0.0.2', 'fd00::2'], { externalIPs: ['192.0.2.1'] }),
  slice('b', 'fd00:1::1'),
  service('c', ['10.0.0.3'], { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] }),
]

function expectSoundOutcome({ exitCode, stdout, stderr }: Outcome): void {
  expect([0, 2]).toContain(exitCode)
  expect(stdout === '').toBe(exitCode === 2)
  expect(stderr).not.toContain('this is a bug')
  for (const line of stderr.split('\n')) expect(line).toMatch(/^(?:error: |warning: |note: |Run '|… and |$)/)
}

describe('print', () => {
  it('for arbitrary text exits with 0 and a result, or with 2 and a message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText(), fc.json()), async (stdin) => {
        expectSoundOutcome(await run(['print', '-f', '-'], { stdin }))
      }),
      { numRuns: runs(30) },
    )
  })

  it('for arbitrary bytes exits with 0 and a result, or with 2 and a message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (stdin) => {
        expectSoundOutcome(await run(['print', '-f', '-'], { stdin }))
      }),
      { numRuns: runs(30) },
    )
  })

  it('for objects with arbitrary field values exits with 0 and a result, or with 2 and a message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(objects, { maxLength: 4 }), async (items) => {
        expectSoundOutcome(await run(['print', '-f', '-'], { stdin: listJson(...items) }))
      }),
      { numRuns: runs(50) },
    )
  })

  it('for an arbitrary command line exits with 0 and a result, or with 2 and a message', async () => {
    const words = fc.oneof(fc.constantFrom('-f', '-', '--mode', 'ipvs', '--', '--strict', '-o', 'json'), fc.string())
    await fc.assert(
      fc.asyncProperty(fc.array(words), async (args) => {
        const outcome = await run(['print', ...args], { stdin: listJson() })
        if (!args.includes('-h') && !args.includes('--help')) expectSoundOutcome(outcome)
      }),
      { numRuns: runs(40) },
    )
  })
})

describe('diff', () => {
  const expectSoundDiff = ({ exitCode, stdout, stderr }: Outcome): void => {
    expect(stdout === '').toBe(exitCode !== 1)
    expect(stderr).not.toContain('this is a bug')
    if (exitCode === 2) expect(stderr).toMatch(/^error: /m)
  }

  it('for arbitrary field values exits with 0, with 1 and a difference, or with 2 and a message', async () => {
    const lists = fc.array(objects, { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(lists, lists, fc.boolean(), async (older, newer, stat) => {
        const files = { 'old.json': listJson(...older), 'new.json': listJson(...newer) }
        expectSoundDiff(await run(['diff', 'old.json', 'new.json', ...(stat ? ['--stat'] : [])], { files }))
      }),
      { numRuns: runs(30) },
    )
  })

  it('prints no difference for equal inputs, and has the same exit code in every format', async () => {
    const services = fc.array(fc.constantFrom(...clusterServices), { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(services, services, async (older, newer) => {
        const files = { 'old.json': clusterJson(...older), 'new.json': clusterJson(...newer) }
        const same = await run(['diff', 'old.json', 'old.json'], { files })
        expect(same).toMatchObject({ exitCode: 0, stdout: '' })
        const text = await run(['diff', 'old.json', 'new.json'], { files })
        const stat = await run(['diff', 'old.json', 'new.json', '--stat'], { files })
        const json = await run(['diff', 'old.json', 'new.json', '-o', 'json'], { files })
        expectSoundDiff(text)
        expectSoundDiff(stat)
        expect([stat.exitCode, json.exitCode]).toEqual([text.exitCode, text.exitCode])
      }),
      { numRuns: runs(15) },
    )
  })
})
