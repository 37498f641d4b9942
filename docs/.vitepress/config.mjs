// The documentation site. Its pages are the Markdown files of docs/, which also read well without it.
import { cpSync, existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { SECTIONS } from './sections.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const REPOSITORY = 'https://github.com/kube-rules/kube-rules'

/** Links to files outside docs/ lead to the repository; those to a report of the public API lead to its page here. */
function linkToRepository(markdown) {
  const render =
    markdown.renderer.rules.link_open ?? ((tokens, index, options, _, self) => self.renderToken(tokens, index, options))
  markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const href = tokens[index].attrGet('href') ?? ''
    const path = posix.join('docs', posix.dirname(env.relativePath ?? ''), href)
    const [, report] = /^etc\/(.*)\.api\.md$/.exec(path) ?? []
    if (report !== undefined) tokens[index].attrSet('href', `/reference/api/${report}.md`)
    else if (href.startsWith('..') && !path.startsWith('docs/'))
      tokens[index].attrSet('href', `${REPOSITORY}/blob/main/${path}`)
    return render(tokens, index, options, env, self)
  }
}

/** Leaves 'Parameters' and the like out of the headings that a search finds: of each function there would be three. */
function renderForSearch(source, env, markdown) {
  const html = markdown.render(source, env)
  return env.relativePath.startsWith('reference/api/') ? html.replace(/(<\/?)h[46]\b/g, '$1p') : html
}

export default defineConfig({
  title: 'kube-rules',
  description: 'Computes and explains the rules by which a Kubernetes node forwards Service traffic',
  lang: 'en',
  outDir: join(ROOT, 'build/site'),
  cacheDir: join(ROOT, 'node_modules/.vitepress'),
  ignoreDeadLinks: [
    /^\.?\.?\/.*(?:fixtures|packages|examples|scripts|etc|bench|\.changeset)\//,
    /(?:CONTRIBUTING|SECURITY|CHANGELOG|README|LICENSE)/,
    /^\/playground\//,
  ],
  // The keywords of the default colours have too little contrast.
  markdown: {
    config: linkToRepository,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      ...SECTIONS.slice(0, -1).map(({ text, pages }) => ({
        text,
        link: pages[0].link,
        activeMatch: pages[0].link.replace(/[^/]*$/, ''),
      })),
      { text: 'Playground', link: '/playground/', target: '_self' },
    ],
    sidebar: SECTIONS.map(({ text, pages }) => ({ text, items: pages })),
    search: {
      provider: 'local',
      options: {
        _render: renderForSearch,
        miniSearch: { searchOptions: { boost: { title: 8, titles: 2 } } },
      },
    },
    outline: { level: [2, 3] },
    externalLinkIcon: true,
    footer: { message: 'Apache-2.0' },
  },
  buildEnd: ({ outDir }) => {
    const page = join(ROOT, 'packages/playground/dist')
    if (existsSync(page)) cpSync(page, join(outDir, 'playground'), { recursive: true })
  },
})
