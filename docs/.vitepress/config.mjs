// The documentation site. Its pages are the Markdown files of docs/, which also read well without it.
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { showDrawings } from './drawings.mjs'
import { SECTIONS } from './sections.mjs'
import { identifyTerms, labelCells, termsToHeadings } from './tables.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The icon of the site and of the playground; as data, because the address of the site has a base. */
const ICON = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(ROOT, 'docs/public/logo.svg'), 'utf8'))}`
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'packages/compiler/package.json'), 'utf8'))
/** The published playground, which is a part of this site. */
const PLAYGROUND = 'https://kube-rules.github.io/kube-rules/playground/'
const REPOSITORY = 'https://github.com/kube-rules/kube-rules'
/** Pages that a command writes as a whole: an edit would be lost. */
const GENERATED = /^(?:reference\/api\/|explanation\/history\.md|troubleshooting\/cases)/

/** Links to files outside docs/ lead to the repository; those to the public API and the playground stay on the site. */
function linkToRepository(markdown) {
  const render =
    markdown.renderer.rules.link_open ?? ((tokens, index, options, _, self) => self.renderToken(tokens, index, options))
  markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const href = tokens[index].attrGet('href') ?? ''
    const path = posix.join('docs', posix.dirname(env.relativePath ?? ''), href)
    const [, report] = /^etc\/(.*)\.api\.md$/.exec(path) ?? []
    if (report !== undefined) tokens[index].attrSet('href', `/reference/api/${report}.md`)
    else if (href.startsWith(PLAYGROUND)) {
      // A link with a target is relative, because VitePress leaves it as it is.
      tokens[index].attrSet(
        'href',
        `${posix.relative(posix.dirname(env.relativePath), 'playground')}/${href.slice(PLAYGROUND.length)}`,
      )
      tokens[index].attrSet('target', '_self')
    } else if (href.startsWith('..') && !path.startsWith('docs/'))
      tokens[index].attrSet('href', `${REPOSITORY}/blob/main/${path}`)
    return render(tokens, index, options, env, self)
  }
}

/** Indented blocks look like fenced ones, and have their button to copy the text. */
function fenceIndentedBlocks({ renderer: { rules } }) {
  rules.code_block = (...block) => rules.fence(...block)
}

/**
 * Leaves 'Parameters' and the like out of the headings that a search finds, because each function would have three, and
 * adds the terms of the glossary.
 */
function renderForSearch(source, env, markdown) {
  const html = termsToHeadings(markdown.render(source, env), env.relativePath)
  return env.relativePath.startsWith('reference/api/') ? html.replace(/(<\/?)h[46]\b/g, '$1p') : html
}

/**
 * Returns the weight of a search result by its page: terms and pages for users first, the API last. The browser gets this
 * function as text, so it uses no other value of this file.
 */
function weighPage(id) {
  if (/\/reference\/api\//.test(id)) return 0.15
  if (/\/(?:contributing|history)/.test(id)) return 0.7
  if (/\/glossary/.test(id)) return 3
  return /\/(?:tutorials|how-to|troubleshooting)\//.test(id) ? 1.6 : 1
}

/** The color of plain text in both themes, which `theme/site.css` sets for the whole block. */
const PLAIN = '--shiki-light:#0E1116;--shiki-dark:#F0F3F6'

/** Removes the elements that only color plain text: they are a tenth of the largest pages. */
function unwrapPlainText(line) {
  const isPlain = ({ properties }) => `${properties?.style}`.toUpperCase() === PLAIN.toUpperCase()
  line.children = line.children.flatMap((child) => (isPlain(child) ? child.children : [child]))
}

const CASES_PAGE = SECTIONS.flatMap(({ pages }) => pages).find(({ link }) => link === '/troubleshooting/cases')

/** Only the section of the open page is expanded. A section without a link would be a button in a button. */
function toSidebarSection({ text, pages }) {
  const items = pages.map((page) => (page === CASES_PAGE ? { text: page.text, link: page.link } : page))
  // The text of links to the previous and the next page, instead of the name of the section.
  return { text, link: pages[0].link, docFooterText: pages[0].text, items, collapsed: true }
}

/** Returns a section with all cases, expanded, and any other section without its pages: every page contains this data. */
function toSidebarOfCases(section) {
  const { text, pages } = section
  if (!pages.includes(CASES_PAGE)) return { text, link: pages[0].link }
  const items = pages.map((page) => (page === CASES_PAGE ? { ...page, collapsed: false } : page))
  return { ...toSidebarSection(section), items, collapsed: false }
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
  head: [['link', { rel: 'icon', href: ICON }]],
  transformPageData: ({ relativePath }) => {
    // The front page has wide text, and no navigation at its side and its end.
    if (relativePath === 'index.md')
      return {
        frontmatter: { sidebar: false, aside: false, prev: false, next: false, editLink: false, pageClass: 'front' },
      }
    if (relativePath.startsWith('troubleshooting/cases/'))
      return { frontmatter: { aside: false, editLink: false, pageClass: 'case' } }
    return GENERATED.test(relativePath) ? { frontmatter: { editLink: false } } : undefined
  },
  // The keywords of the default colours have too little contrast.
  markdown: {
    image: { lazyLoading: true },
    config: (markdown) => {
      linkToRepository(markdown)
      fenceIndentedBlocks(markdown)
      labelCells(markdown)
      identifyTerms(markdown)
      showDrawings(markdown)
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [{ line: unwrapPlainText }],
  },
  themeConfig: {
    logo: { src: '/logo.svg', alt: '', width: 24, height: 24 },
    nav: [
      ...SECTIONS.slice(0, -1).map(({ text, pages }) => ({
        text,
        link: pages[0].link,
        activeMatch: pages[0].link.replace(/[^/]*$/, ''),
      })),
      { text: 'Playground', link: '/playground/', target: '_self' },
      {
        text: `v${VERSION}`,
        items: [
          { text: 'Changelog', link: `${REPOSITORY}/blob/main/CHANGELOG.md` },
          { text: 'Supported versions of kube-proxy', link: '/reference/versions' },
          { text: 'Versioning', link: '/reference/versioning' },
        ],
      },
    ],
    // Only a case lists all cases, because every page contains its sidebar.
    sidebar: { [`${CASES_PAGE.link}/`]: SECTIONS.map(toSidebarOfCases), '/': SECTIONS.map(toSidebarSection) },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    search: {
      provider: 'local',
      options: {
        _render: renderForSearch,
        miniSearch: { searchOptions: { boost: { title: 8, titles: 2 }, boostDocument: weighPage } },
      },
    },
    outline: { level: [2, 3] },
    externalLinkIcon: true,
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path`, text: 'Edit this page' },
    footer: { message: 'Apache-2.0' },
  },
  buildEnd: ({ outDir }) => {
    const page = join(ROOT, 'packages/playground/dist')
    if (existsSync(page)) cpSync(page, join(outDir, 'playground'), { recursive: true })
  },
})
