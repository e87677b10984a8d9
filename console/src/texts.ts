import { english } from './texts/en/index.ts';

/** All texts of the console. A language is a folder beside `en`. Texts of the API are shown as it sends them. */
export const texts = english;
