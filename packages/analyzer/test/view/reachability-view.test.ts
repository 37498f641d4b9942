import { describe, expect, it } from 'vitest'
import { outline } from '../../../compiler/test/support/view-lines.js'
import type { ReachabilityRow } from '../../src/explain/reachability.js'
import { reachabilityView } from '../../src/view/reachability-view.js'

const frontend = { owner: 'default/web:http/TCP', protocol: 'TCP', address: '10.96.0.10', port: 80 } as const
const rejected = { reason: 'no endpoints', expectedOutcome: 'rejected' }

function rowWith(reason: ReachabilityRow['reason']): ReachabilityRow {
  return { frontend, outcomes: { pod: '2 endpoints' }, reason }
}

describe('reachabilityView', () => {
  it('contains the headings, and below them a line for each frontend with its columns', () => {
    const rows: readonly ReachabilityRow[] = [
      rowWith({ pod: { reason: 'policy Cluster' } }),
      { frontend: { ...frontend, owner: '', port: 443 }, outcomes: { outside: 'unmatched' } },
    ]
    const view = reachabilityView(rows)
    expect(outline(view)).toEqual([
      'heading: service port          frontend            from a pod   from outside  why',
      'frontend: default/web:http/TCP  10.96.0.10:80/TCP   2 endpoints  -             policy Cluster',
      'frontend: -                     10.96.0.10:443/TCP  -            unmatched',
    ])
    expect(view.map(({ cells }) => cells)).toEqual([
      ['service port', 'frontend', 'from a pod', 'from outside', 'why'],
      ['default/web:http/TCP', '10.96.0.10:80/TCP', '2 endpoints', '-', 'policy Cluster'],
      ['-', '10.96.0.10:443/TCP', '-', 'unmatched', ''],
    ])
    expect(view[1]).toMatchObject({
      servicePort: 'default/web:http/TCP',
      objects: [{ kind: 'Service', namespace: 'default', name: 'web' }],
    })
    expect(view[2]).not.toHaveProperty('servicePort')
  })

  it.each([
    ['error', { pod: { reason: 'policy Local' }, node: { ...rejected, divergence: 'drift' } }],
    ['warning', { pod: { ...rejected, divergence: 'modeLimitation' } }],
    ['warning', { pod: { ...rejected, divergence: 'undetermined' } }],
    ['none', { pod: { reason: 'policy Cluster' } }],
    ['none', undefined],
  ] as const)('has the severity %s of its worst difference', (severity, why) => {
    expect(reachabilityView([rowWith(why)])[1]?.severity).toBe(severity)
  })
})
