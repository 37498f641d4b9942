import { readFileSync } from 'node:fs'
import * as compiler from '@kube-rules/compiler'
import type { Packet } from '@kube-rules/types'
import * as manifests from '@kube-rules/types/manifests'
import { parseManifests } from '@kube-rules/types/schema'
import { describe, expect, it } from 'vitest'
import { sourceFiles } from '../../compiler/test/support/source-files.js'
import * as analyzer from '../src/index.js'

// Runs the examples in the docstrings of all root functions and those for manifests. A line `expression // => value` is an assertion. Every
// example may use the functions of both roots and these values.

const INPUT = {
  services: [
    {
      metadata: { namespace: 'default', name: 'web' },
      spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: ['10.244.1.5'] }],
    },
  ],
  nodes: ['node-1', 'node-2'].map((name, index) => ({
    metadata: { name },
    spec: { podCIDR: `10.244.${index + 1}.0/24` },
    status: { addresses: [{ type: 'InternalIP', address: `192.168.0.${index + 2}` }] },
  })),
  configuration: { clusterCIDR: '10.244.0.0/16' },
}

const PACKET: Packet = {
  ...{ origin: 'pod', source: '10.244.1.9', protocol: 'TCP' },
  ...{ destination: '10.96.0.10', destinationPort: 80 },
}

const FUNCTIONS = Object.entries({ ...compiler, ...analyzer, ...manifests }).flatMap(([name, value]) =>
  typeof value === 'function' && name !== 'DiagnosticsError' ? [name] : [],
)

const SOURCES = ['types', 'compiler', 'analyzer'].flatMap((name) =>
  sourceFiles(new URL(`../../${name}/src/`, import.meta.url)).map((file) => readFileSync(file, 'utf8')),
)

/** Returns the code of the example of an exported function; undefined if it has none. */
function exampleOf(name: string): string | undefined {
  const docstring = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\nexport (?:async )?function ${name}\\b`)
  for (const source of SOURCES) {
    const [, text = ''] = docstring.exec(source) ?? []
    const [, code] = /@example\n \* ```ts\n([\s\S]*?) \* ```/.exec(text) ?? []
    if (code !== undefined) return code.replaceAll(/^ \* ?/gm, '')
  }
  return undefined
}

/** Runs an example. Returns each actual value with the stated one. */
async function runExample(code: string): Promise<readonly (readonly [unknown, unknown])[]> {
  const compared: (readonly [unknown, unknown])[] = []
  const scope = {
    ...{ ...compiler, ...analyzer, ...manifests, parseManifests, input: INPUT, packet: PACKET },
    compare_: (actual: unknown, expected: unknown) => compared.push([actual, expected]),
  }
  const body = code.replaceAll(/^(.*?) \/\/ => (.*)$/gm, 'compare_(await ($1), $2)')
  const run = new Function(`{ ${Object.keys(scope).join(', ')} }`, `return (async () => {\n${body}\n})()`)
  await run(scope)
  return compared
}

describe('the docstring example', () => {
  it.each(FUNCTIONS)('shows the values that the function returns: %s', async (name) => {
    const code = exampleOf(name)
    if (code === undefined) throw new Error(`${name} has no @example`)
    const compared = await runExample(code)
    expect(compared.length).toBeGreaterThan(0)
    for (const [actual, expected] of compared) expect(actual).toEqual(expected)
  })
})
