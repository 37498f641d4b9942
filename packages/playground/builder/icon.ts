import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const LOGO = fileURLToPath(new URL('../../../docs/public/logo.svg', import.meta.url))

/** Adds the logo of the documentation site as the icon of the page, as data, because the page is one file. */
export function icon(): Plugin {
  return {
    name: 'icon',
    transformIndexHtml: () => [
      {
        tag: 'link',
        attrs: { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(readFileSync(LOGO, 'utf8'))}` },
        injectTo: 'head',
      },
    ],
  }
}
