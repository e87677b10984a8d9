import made from 'virtual:tools';
import type { OptionField } from '../playground/option-field.ts';
import type { Tool } from './tool-list.ts';

/** What each tool does, and its options as fields of a form. */
export const forms = made as Record<Tool, { description: string; fields: OptionField[] }>;
