import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../compiler/test/support/any-text.js'
import { parseObjectReference } from '../src/diagnostic.js'
import { DIAGNOSTIC_CODES, type Diagnostic, DiagnosticsError, formatDiagnostic } from '../src/index.js'

const PORT: Diagnostic = {
  severity: 'error',
  code: 'invalidPort',
  object: { kind: 'Service', namespace: 'team-a', name: 'web' },
  path: 'spec.ports[1].port',
  message: '70000 is not a port',
  expected: 'a whole number from 1 to 65535',
}

describe('formatDiagnostic', () => {
  it('prints the severity, object, path, message, expected value and code', () => {
    expect(formatDiagnostic(PORT)).toBe(
      'error: Service team-a/web: spec.ports[1].port: 70000 is not a port (expected a whole number from 1 to 65535) [invalidPort]',
    )
  })

  it('omits fields that are missing in the diagnostic', () => {
    const { severity, code, message } = PORT
    expect(formatDiagnostic({ severity, code, message, object: { kind: 'Node', name: 'n1' } })).toBe(
      'error: Node n1: 70000 is not a port [invalidPort]',
    )
  })

  it('prints one line without control characters for an arbitrary object name and message', () => {
    fc.assert(
      fc.property(anyText(), anyText(), (name, message) => {
        const text = formatDiagnostic({ ...PORT, object: { kind: 'Service', namespace: name, name }, message })
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
      }),
    )
  })
})

describe('parseObjectReference', () => {
  it.each([
    ['Service default/web', { kind: 'Service', namespace: 'default', name: 'web' }],
    ['Node node-1', { kind: 'Node', name: 'node-1' }],
    ['KubeProxyConfiguration', { kind: 'KubeProxyConfiguration', name: '' }],
  ])('parses %s', (text, object) => {
    expect(parseObjectReference(text)).toStrictEqual(object)
  })
})

describe('DiagnosticsError', () => {
  it('contains every diagnostic, and a message with one line for each diagnostic', () => {
    const error = new DiagnosticsError([PORT, { ...PORT, path: 'spec.ports[2].port' }])
    expect(error.diagnostics).toHaveLength(2)
    expect(error.message.split('\n')).toHaveLength(2)
    expect(error.name).toBe('DiagnosticsError')
  })
})

describe('docs/reference/diagnostics.md', () => {
  it('has one row for each code', () => {
    const page = readFileSync(new URL('../../../docs/reference/diagnostics.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)
    expect(rows).toEqual([...DIAGNOSTIC_CODES])
  })
})
