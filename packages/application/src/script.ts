export { printScript } from './script/print-script.js'
export { quoteWord, quoteWords } from './script/quote-word.js'
