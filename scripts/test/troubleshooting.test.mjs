import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { printAnswer } from '../troubleshooting/print-answer.mjs'
import { printCase, printIndex } from '../troubleshooting/print-cases.mjs'
import { readCases } from '../troubleshooting/read-cases.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const textOf = (path) => readFileSync(pathOf(path), 'utf8')
const cases = readCases(pathOf('fixtures'))

describe('the pages of the cases', () => {
  it('are as `pnpm troubleshooting` writes them', () => {
    expect(textOf('docs/troubleshooting/cases.md')).toBe(printIndex(cases))
    for (const each of cases) {
      const page = textOf(`docs/troubleshooting/cases/${each.page}.md`)
      // case-links.test.mjs opens the link.
      const [hash] = /(?<=\/playground\/)#[^)]*/.exec(page) ?? ['no link to the playground']
      expect(page).toBe(printCase(each, hash))
    }
  })

  it('are one for each case', () => {
    const pages = readdirSync(pathOf('docs/troubleshooting/cases'))
    expect(pages.sort()).toEqual(cases.map(({ page }) => `${page}.md`).sort())
  })

  it('are all in the list of symptoms', () => {
    const index = textOf('docs/troubleshooting/cases.md')
    for (const { title, page } of cases) expect(index).toContain(`* [${title}](cases/${page}.md)\n`)
  })

  it('are short: at most 350 words without code, or 450 with two questions', () => {
    for (const { page } of cases) {
      const text = textOf(`docs/troubleshooting/cases/${page}.md`)
      const words = text.replace(/^ *```.*?^ *```/gms, '').match(/\S*\w\S*/g).length
      expect(words, page).toBeLessThanOrEqual(text.includes('## Question 2') ? 450 : 350)
    }
  })
})

describe('printAnswer', () => {
  it('prints a diagnosis as text, and further diagnoses by their summaries', () => {
    const answer = [
      '$ kube-rules verify -f cluster.yaml',
      'note: Node node-1 has version v1.30.2: rules of kube-proxy 1.30',
      'packets are <lost>',
      'why: rules are old',
      'do:',
      '  1. Restart it:',
      '     kubectl delete pod a',
      '     then: the rules match',
      '     impact: none',
      'rule: missing: -A KUBE-SERVICES',
      'another',
      'why: the same',
      'rule: missing: -A B',
      'shop/web:http/TCP',
    ].join('\n')
    expect(printAnswer(answer)).toBe(`## Question

\`\`\`sh
kube-rules verify -f cluster.yaml
\`\`\`

## Answer

**packets are \\<lost>.**

Rules are old.

1. Restart it:

   \`\`\`sh
   kubectl delete pod a
   \`\`\`

   Then: the rules match.

   Impact: none.

The rule:

\`\`\`
missing: -A KUBE-SERVICES
\`\`\`

The command also prints these diagnoses:

* another
`)
  })

  it('prints an output without a diagnosis as it is, and leaves out a long one', () => {
    const long = `$ kube-rules print\n${'line\n'.repeat(25)}`
    expect(printAnswer(`$ kube-rules verify\nno drift\n\n${long}`)).toBe(
      '## Question\n\n```sh\nkube-rules verify\n```\n\n## Answer\n\n```\nno drift\n```\n',
    )
  })
})
