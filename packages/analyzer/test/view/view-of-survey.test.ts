import { describe, expect, it } from 'vitest'
import { outline } from '../../../compiler/test/support/view-lines.js'
import type { SurveyRow } from '../../src/explain/survey.js'
import { viewOfSurvey } from '../../src/view/view-of-survey.js'

const frontend = { owner: 'default/web:http/TCP', protocol: 'TCP', address: '10.96.0.10', port: 80 } as const
const rejected = { reason: 'no endpoints', otherwise: 'rejected' }

function rowWith(why: SurveyRow['why']): SurveyRow {
  return { frontend, outcomes: { pod: '2 endpoints' }, why }
}

describe('viewOfSurvey', () => {
  it('has a line for each frontend below the headings, with its columns', () => {
    const rows: readonly SurveyRow[] = [
      rowWith({ pod: { reason: 'policy Cluster' } }),
      { frontend: { ...frontend, owner: '', port: 443 }, outcomes: { outside: 'passes' } },
    ]
    const view = viewOfSurvey(rows)
    expect(outline(view)).toEqual([
      'heading: service port          frontend            from a pod   from outside  why',
      'frontend: default/web:http/TCP  10.96.0.10:80/TCP   2 endpoints  -             policy Cluster',
      'frontend: -                     10.96.0.10:443/TCP  -            passes',
    ])
    expect(view.map(({ cells }) => cells)).toEqual([
      ['service port', 'frontend', 'from a pod', 'from outside', 'why'],
      ['default/web:http/TCP', '10.96.0.10:80/TCP', '2 endpoints', '-', 'policy Cluster'],
      ['-', '10.96.0.10:443/TCP', '-', 'passes', ''],
    ])
    expect(view[1]).toMatchObject({
      servicePort: 'default/web:http/TCP',
      objects: [{ kind: 'Service', namespace: 'default', name: 'web' }],
    })
    expect(view[2]).not.toHaveProperty('servicePort')
  })

  it.each([
    ['error', { pod: { reason: 'policy Local' }, node: { ...rejected, difference: 'rules' } }],
    ['warning', { pod: { ...rejected, difference: 'mode' } }],
    ['warning', { pod: { ...rejected, difference: 'unknown' } }],
    ['none', { pod: { reason: 'policy Cluster' } }],
    ['none', undefined],
  ] as const)('has severity %s for its worst difference', (severity, why) => {
    expect(viewOfSurvey([rowWith(why)])[1]?.severity).toBe(severity)
  })
})
