// Takes screenshots of the built documentation site, for docs. Run it as `pnpm docs:pictures [FOLDER]`.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { takePictures } from './pictures.mjs'

const SITE = fileURLToPath(new URL('../../../build/site/', import.meta.url))
const ORIGIN = 'http://site'
const [folder = fileURLToPath(new URL('../../../docs/contributing/site/', import.meta.url))] = process.argv.slice(2)

const viewport = { width: 1280, height: 760 }
const deviceScaleFactor = 0.75

/** The page of each screenshot, and the text of a search. */
const PICTURES = {
  'front.png': { viewport, deviceScaleFactor, path: '/index.html' },
  'tutorial.png': { viewport, deviceScaleFactor, path: '/tutorials/build-a-proxy.html#run-it' },
  'reference.png': { viewport, deviceScaleFactor, path: '/reference/cli/verify.html' },
  'search.png': { viewport, deviceScaleFactor, path: '/tutorials/first-rules.html', search: 'node port rejected' },
  'dark.png': {
    viewport,
    deviceScaleFactor,
    path: '/explanation/how-kube-proxy-programs-services.html#the-path-of-a-packet',
    colorScheme: 'dark',
  },
  'phone.png': { viewport: { width: 390, height: 760 }, path: '/how-to/verify-a-node.html#verdicts' },
}

await takePictures(folder, PICTURES, async (page, { path, search }) => {
  await page.route(`${ORIGIN}/**`, (route) =>
    route.fulfill({ path: join(SITE, new URL(route.request().url()).pathname) }),
  )
  await page.goto(ORIGIN + path, { waitUntil: 'networkidle' })
  if (search === undefined) return
  await page.keyboard.press('Control+k')
  await page.locator('#localsearch-input').fill(search)
  await page.locator('.VPLocalSearchBox .result').first().waitFor()
})
