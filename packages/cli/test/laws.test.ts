import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listJson } from './support/objects.js'
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

function expectSoundOutcome({ exitCode, stdout, stderr }: Outcome): void {
  expect([0, 2]).toContain(exitCode)
  expect(stdout === '').toBe(exitCode === 2)
  expect(stderr).not.toContain('this is a bug')
  for (const line of stderr.split('\n')) expect(line).toMatch(/^(?:error: |warning: |Run '|… and |$)/)
}

describe('whatever comes in, the exit code is 0 with a result, or 2 with a message and without one', () => {
  it('holds for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), async (stdin) => {
        expectSoundOutcome(await run(['render', '-f', '-'], { stdin }))
      }),
    )
  })

  it('holds for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (stdin) => {
        expectSoundOutcome(await run(['render', '-f', '-'], { stdin }))
      }),
    )
  })

  it('holds for objects with anything in their fields', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(objects, { maxLength: 4 }), async (items) => {
        expectSoundOutcome(await run(['render', '-f', '-'], { stdin: listJson(...items) }))
      }),
    )
  })

  it('holds for any words on the command line', async () => {
    const words = fc.oneof(fc.constantFrom('-f', '-', '--mode', 'ipvs', '--', '--strict', '-o', 'json'), fc.string())
    await fc.assert(
      fc.asyncProperty(fc.array(words), async (args) => {
        const outcome = await run(['render', ...args], { stdin: listJson() })
        if (!args.includes('-h') && !args.includes('--help')) expectSoundOutcome(outcome)
      }),
    )
  })
})
