import type { Plan } from '@kube-rules/compiler/plan'
import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { formatDiagnosticLines, formatVerificationLines } from '../../src/messages/diagnostic-lines.js'

function diagnostic(fields: Partial<Diagnostic>, name = 'web'): Diagnostic {
  const object = { kind: 'Service', namespace: 'default', name }
  return { severity: 'warning', code: 'addressConflict', object, message: 'taken', ...fields }
}

describe('formatDiagnosticLines', () => {
  it('prints errors and warnings in order, without infos', () => {
    const lines = formatDiagnosticLines([
      diagnostic({}),
      diagnostic({ severity: 'info', code: 'unknownKind' }),
      diagnostic({ severity: 'error', code: 'invalidPort', path: 'spec.ports[0].port', expected: 'a port' }),
    ])
    expect(lines).toEqual([
      'warning: Service default/web: taken [addressConflict]',
      'error: Service default/web: spec.ports[0].port: taken (expected a port) [invalidPort]',
    ])
  })

  it('prints 20 messages per code, and the number of the remaining messages', () => {
    const many = Array.from({ length: 23 }, (_, index) => diagnostic({}, `s${index}`))
    const lines = formatDiagnosticLines([...many, diagnostic({ code: 'orphanSlice' })], ' (here)')
    expect(lines).toHaveLength(22)
    expect(lines[19]).toBe('warning: Service default/s19: taken [addressConflict]')
    expect(lines[20]).toBe('warning: Service default/web: taken [orphanSlice]')
    expect(lines[21]).toBe('… and 3 more of addressConflict (here)')
  })

  it('prints no number of remaining messages if a code has exactly 20 messages', () => {
    expect(formatDiagnosticLines(Array.from({ length: 20 }, () => diagnostic({})))).toHaveLength(20)
  })
})

describe('formatVerificationLines', () => {
  const planOf = (family: IpFamily, services: number) =>
    ({ family, services: Array(services).fill({}), node: {} }) as unknown as Plan
  const undetected = (message: string) => diagnostic({ severity: 'info', code: 'noLocalTrafficDetection', message })
  const both = [undetected('no IPv4 network of pods'), undetected('no IPv6 network of pods')]

  it('reports undetected local traffic only for families that have service ports', () => {
    expect(formatVerificationLines(both, [planOf('IPv4', 1), planOf('IPv6', 0)])).toEqual([
      'info: Service default/web: no IPv4 network of pods [noLocalTrafficDetection]',
    ])
    expect(formatVerificationLines(both, [planOf('IPv4', 1), planOf('IPv6', 1)])).toHaveLength(2)
    expect(formatVerificationLines(both, [planOf('IPv4', 0), planOf('IPv6', 0)])).toEqual([])
  })

  it('reports undetected local traffic without a family if any family has service ports', () => {
    expect(formatVerificationLines([undetected('no networks')], [planOf('IPv4', 1), planOf('IPv6', 0)])).toHaveLength(1)
  })
})
