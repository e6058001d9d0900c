/** The file in the data folder that holds the operator's token, readable by the owner only. */
export const operatorTokenFile = "operator-token";
